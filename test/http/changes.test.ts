import { createParser } from "eventsource-parser";
import { expect, it } from "vitest";
import type { WatchedRun, WatchedRunList } from "../../src/contract/run-watch.ts";
import { watchedRunList } from "../../src/contract/run-watch.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { flow, waitFor } from "../support/time-workflows.ts";
import { greet } from "../support/workflows.ts";

const gated = flow(
  "gated",
  [{ id: "ask", type: "noop", data: "{requireApproval: true}" }],
  ["action_input -> ask", "ask -> done"],
);
const waits = flow(
  "waits",
  [{ id: "rest", type: "wait", data: waitFor(1, "hours") }],
  ["action_input -> rest", "rest -> done"],
);

async function openEvents(t: TestRuntime, query = "", headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost/events${query}`, { headers });
  const response = await t.runtime.controlApp(request);
  const seen: { event: string | undefined; id: string | undefined; data: WatchedRun }[] = [];
  const parser = createParser({ onEvent: ({ event, id, data }) => seen.push({ event, id, data: JSON.parse(data) }) });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  return {
    status: response.status,
    async take(count: number) {
      while (seen.length < count) {
        const next = await reader?.read();
        if (!next || next.done) break;
        parser.feed(next.value);
      }
      return seen.splice(0, count);
    },
    leave: async () => reader?.cancel(),
  };
}

const listOf = async (t: TestRuntime, query = "") =>
  (await t.control<WatchedRunList>("GET", `/control/runs${query}`)).body;

it("rows carry what a person looks for: steps, the error, when it goes on, until when it can be decided", async () => {
  const t = await testRuntime();
  for (const workflow of [greet, gated, waits]) await t.publish(workflow);
  await t.runToEnd("greet", { name: "Ada" });
  for (const slug of ["gated", "waits"]) await t.post(`/actions/${slug}/run`, { input: {} });
  await t.settled();
  const list = await listOf(t);
  expect(watchedRunList.strict().parse(list)).toEqual(list);
  const facts = list.runs.map((run) => [
    run.action_slug,
    run.status,
    `${run.steps_done}/${run.steps_total}`,
    run.resume_at,
    run.approval_expires_at,
  ]);
  expect(facts).toEqual([
    ["waits", "waiting", "0/2", "2026-01-15T11:00:00.000Z", null],
    ["gated", "waiting_for_approval", "0/2", null, "2026-01-15T11:00:00.000Z"],
    ["greet", "succeeded", "1/1", null, null],
  ]);
  expect((await listOf(t, "?action_slug=gated")).runs).toHaveLength(1);
  expect((await listOf(t, "?status=succeeded&limit=1")).total).toBe(1);
});

it("the stream goes on where the list stood, tells each run as it stands, and resumes after its last event", async () => {
  const t = await testRuntime();
  await t.publish(greet);
  const { change } = await listOf(t);
  const first = await openEvents(t, `?after=${change}&instance=test`);
  expect(await first.take(1)).toMatchObject([{ event: "ready", id: String(change) }]);
  const run = await t.runToEnd("greet", { name: "Ada" });
  const told = await first.take(1);
  expect(told).toMatchObject([{ event: "run", data: { run_id: run.run_id, action_slug: "greet" } }]);
  await first.leave();
  const second = await openEvents(t, "?after=0", { "last-event-id": String(change) });
  const [, last] = await second.take(2);
  expect(last?.data).toMatchObject({ run_id: run.run_id, status: "succeeded", steps_done: 1 });
  const { change: now } = await listOf(t);
  expect(last?.id).toBe(String(now));
  await second.leave();
});

it("changes that come fast reach a reader as one", async () => {
  const t = await testRuntime();
  await t.publish(greet);
  const stream = await openEvents(t);
  await stream.take(1);
  const [one] = [await t.runToEnd("greet", { name: "Ada" })];
  await t.settled();
  const before = await stream.take(1);
  const two = await t.runToEnd("greet", { name: "Bob" });
  await t.settled();
  t.clock.advance(100);
  const rest = await stream.take(2);
  const ids = [...before, ...rest].map(({ data }) => data.run_id);
  expect(ids.slice(-1)).toEqual([two.run_id]);
  expect(new Set(ids)).toEqual(new Set([one.run_id, two.run_id]));
  await stream.leave();
});

it("a number of another life of the daemon, or of the future, is gone: 410", async () => {
  const t = await testRuntime();
  expect((await openEvents(t, "?after=0&instance=another")).status).toBe(410);
  expect((await openEvents(t, "?after=7")).status).toBe(410);
  expect((await openEvents(t, "?after=x")).status).toBe(400);
  const kept = await openEvents(t, "?after=0&instance=test");
  expect(kept.status).toBe(200);
  await kept.leave();
});

it("the stream shows that it lives, and ends with the daemon", async () => {
  const t = await testRuntime();
  const response = await t.runtime.controlApp(new Request("http://localhost/events"));
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  await reader?.read();
  const beat = reader?.read();
  t.clock.advance(15_000);
  expect((await beat)?.value).toBe(": alive\n\n");
  t.runtime.beginStop();
  expect((await reader?.read())?.done).toBe(true);
});
