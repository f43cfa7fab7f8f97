import { createParser } from "eventsource-parser";
import { expect, it } from "vitest";
import type { Run } from "../../src/contract/run.ts";
import { heldCatalogue } from "../support/held-node.ts";
import { bearer, testRuntime } from "../support/runtime.ts";
import { pass } from "../support/workflows.ts";

type Seen = { event: string | undefined; id: string | undefined; data: Record<string, unknown> };

async function setUp() {
  const { catalogue, letGo } = heldCatalogue();
  const runtime = await testRuntime({ catalogue });
  await runtime.publish(pass);
  const { body } = await runtime.post<Run>("/actions/pass/run");
  await runtime.started(body.run_id);
  const path = `/runs/${body.run_id}/events`;
  const open = (query = "", headers: Record<string, string> = {}, key = runtime.secret) =>
    runtime.request("GET", path + query, {
      headers: { accept: "text/event-stream", ...bearer(key), ...headers },
    });
  return { runtime, letGo, open, runId: body.run_id };
}

/** Messages of a stream, as many as are asked for, or all until its end. */
function messagesOf(response: Response) {
  const seen: Seen[] = [];
  const parser = createParser({ onEvent: ({ event, id, data }) => seen.push({ event, id, data: JSON.parse(data) }) });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  return {
    async take(count: number): Promise<string[]> {
      while (seen.length < count) {
        const next = await reader?.read();
        if (!next || next.done) break;
        parser.feed(next.value);
      }
      return seen
        .splice(0, count)
        .map(({ event, id, data }) => (event === "run" ? `run ${String(data["status"])}` : `${id} ${event}`));
    },
    leave: async () => reader?.cancel(),
  };
}

it("a stream gives what was, then what happens, each status in its place, and ends with the run", async () => {
  const { open, letGo, runId, runtime } = await setUp();
  const response = await open();
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("x-ratelimit-limit")).toBe("1000");
  const messages = messagesOf(response);
  expect(await messages.take(2)).toEqual(["1 step_started", "run running"]);
  letGo();
  expect(await messages.take(99)).toEqual(["2 step_completed", "3 step_started", "4 step_completed", "run succeeded"]);
  const page = await runtime.get<{ events: unknown[] }>(`/runs/${runId}/events`);
  expect(page.body.events).toHaveLength(4);
});

it("a stream of a run that has ended gives it all and ends", async () => {
  const { open, letGo, runtime, runId } = await setUp();
  letGo();
  await runtime.get(`/runs/${runId}?wait=60`);
  const messages = messagesOf(await open());
  expect(await messages.take(99)).toHaveLength(5);
  const late = messagesOf(await open("?after=4"));
  expect(await late.take(99)).toEqual(["run succeeded"]);
});

it("a reader may write the name of the type in capitals, as names of types have no case", async () => {
  const { open, letGo } = await setUp();
  const response = await open("", { accept: "Text/Event-Stream" });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  letGo();
  expect(await messagesOf(response).take(99)).toHaveLength(6);
});

it("a reader that comes back gets what it has not seen, nothing twice; Last-Event-ID goes before the address", async () => {
  const { open, letGo } = await setUp();
  const before = messagesOf(await open());
  expect(await before.take(1)).toEqual(["1 step_started"]);
  await before.leave();
  letGo();
  const after = messagesOf(await open("?after=0", { "last-event-id": "1" }));
  const rest = await after.take(99);
  expect(rest.filter((message) => !message.startsWith("run"))).toEqual([
    "2 step_completed",
    "3 step_started",
    "4 step_completed",
  ]);
  expect(rest.at(-1)).toBe("run succeeded");
  expect((await open("", { "last-event-id": "x" })).status).toBe(400);
});

it("a key may have five streams; revoking it ends them", async () => {
  const { open, runtime } = await setUp();
  const { id, secret } = await runtime.mintKey();
  const streams = await Promise.all(Array.from({ length: 5 }, () => open("", {}, secret)));
  const sixth = await open("", {}, secret);
  expect(sixth.status).toBe(429);
  expect(sixth.headers.get("x-ratelimit-remaining")).toBe("0");
  expect(sixth.headers.get("retry-after")).toBe("1");
  await runtime.control("POST", `/control/keys/${id}/revoke`);
  for (const stream of streams) expect(await messagesOf(stream).take(99)).toEqual(["1 step_started", "run running"]);
});

it("a key's expiry ends its streams and held answers", async () => {
  const { open, runtime, runId } = await setUp();
  const expires_at = new Date(runtime.clock.now().getTime() + 5_000).toISOString();
  const { secret } = await runtime.mintKey(["runs:read"], { expires_at });
  const messages = messagesOf(await open("", {}, secret));
  const held = runtime.get(`/runs/${runId}?wait=60`, secret);
  expect(await messages.take(2)).toEqual(["1 step_started", "run running"]);
  runtime.clock.advance(4_999);
  expect((await runtime.get(`/runs/${runId}`, secret)).status).toBe(200);
  runtime.clock.advance(1);
  expect(await messages.take(99)).toEqual([]);
  expect(await held).toMatchObject({ status: 401, body: { error: "API key expired" } });
  expect((await open("", {}, secret)).status).toBe(401);
});

it("a stream of an unknown run is 404, and its end of the daemon ends it", async () => {
  const { open, runtime } = await setUp();
  const unknown = await runtime.request("GET", "/runs/x/events", {
    headers: { accept: "text/event-stream", ...bearer(runtime.secret) },
  });
  expect(unknown.status).toBe(404);
  const messages = messagesOf(await open());
  expect(await messages.take(2)).toHaveLength(2);
  runtime.runtime.beginStop();
  expect(await messages.take(1)).toEqual([]);
});

it("a reader that leaves while the next event is awaited is no error", async () => {
  const { runtime, letGo, open } = await setUp();
  const messages = messagesOf(await open());
  await messages.take(1);
  const left = messages.leave();
  letGo();
  await left;
  await runtime.settled();
  expect(runtime.logged).toEqual([]);
});
