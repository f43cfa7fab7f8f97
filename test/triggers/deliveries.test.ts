import { describe, expect, test } from "vitest";
import type { DeliveryBody, DeliveryList } from "../../src/contract/trigger.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { answering, countRuns, endOf, orderHook, publishHook, send } from "../support/webhooks.ts";

async function deliveries(runtime: TestRuntime, query = ""): Promise<DeliveryBody[]> {
  const { status, body } = await runtime.control<DeliveryList>("GET", `/control/deliveries${query}`);
  expect(status).toBe(200);
  return body.deliveries;
}

async function redeliver(runtime: TestRuntime, delivery: DeliveryBody | undefined) {
  return runtime.control<{ run_id: string; error: string }>(
    "POST",
    `/control/deliveries/${delivery?.id}/redeliver`,
    {},
  );
}

describe("the log of deliveries", () => {
  test("has every request with what was answered and why, its body redacted", async () => {
    const runtime = await testRuntime();
    const { path, id } = await publishHook(runtime, orderHook());
    const body = { id: "o-1", mail: "ada@example.org" };
    const accepted = await send(runtime, path, body, { "webhook-id": "msg-1" });
    await send(runtime, path, body, { "webhook-id": "msg-1" });
    await send(runtime, path, '{"mail": "ada@example.org"');
    await send(runtime, path, JSON.stringify("x".repeat(1024 * 1024)));
    await runtime.control("POST", `/control/triggers/${id}/disable`);
    await send(runtime, path, body);
    const log = await deliveries(runtime, `?trigger=${id}`);
    const size = JSON.stringify(body).length;
    const run_id = accepted.body.run_id;
    expect(log).toMatchObject([
      { status: 409, run_id: null, reason: "The workflow On order is paused", bytes: size },
      { status: 413, run_id: null, body: null },
      { status: 400, run_id: null, reason: expect.stringContaining("not valid JSON") },
      { status: 202, run_id, dedup_id: "msg-1", reason: "seen before" },
      { status: 202, run_id, dedup_id: "msg-1", reason: null, bytes: size, redelivery_of: null },
    ]);
    for (const { status, body: shown } of log) {
      if (status !== 413) expect(shown).toContain("[REDACTED_EMAIL]");
    }
    expect(JSON.stringify(log)).not.toContain("ada@");
  });

  test("quotes nothing of a body that is no JSON", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, orderHook());
    await send(runtime, path, "ada@example.org");
    const log = await deliveries(runtime);
    expect(log).toMatchObject([{ status: 400, reason: "The body is not valid JSON: Unexpected token 'a'" }]);
    expect(JSON.stringify(log)).not.toContain("ada@");
  });

  test("cuts long bodies, and costs a started run no commit of its own", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, orderHook());
    await endOf(runtime, await send(runtime, path));
    const before = runtime.store.stats();
    await endOf(runtime, await send(runtime, path, { long: "y ".repeat(20_000) }));
    await runtime.settled();
    // One with the run, one with its end.
    expect(runtime.store.stats().writes - before.writes).toBe(2);
    const [delivery] = await deliveries(runtime);
    expect(delivery?.body?.length).toBe(16 * 1024 + 1);
    expect(delivery?.bytes).toBe(40_011);
  });

  test("is listed page by page and forgotten after its time", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, orderHook());
    for (let n = 0; n < 3; n++) await send(runtime, path);
    const [newest, middle, oldest] = await deliveries(runtime);
    expect(await deliveries(runtime, `?limit=1&before=${newest?.id}`)).toEqual([middle]);
    expect(await deliveries(runtime, `?before=${oldest?.id}`)).toEqual([]);
    expect((await runtime.control("GET", "/control/deliveries?limit=0")).status).toBe(400);
    runtime.clock.advance(7 * 86_400_000 - 1);
    await runtime.settled();
    expect(await deliveries(runtime)).toHaveLength(3);
    runtime.clock.advance(2 * 3_600_000);
    await runtime.settled();
    expect(await deliveries(runtime)).toEqual([]);
  });
});

describe("redelivery", () => {
  test("starts a run with what came, as it came, and is a delivery of its own", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, orderHook());
    const body = { id: "ada@example.org" };
    const first = await endOf(runtime, await send(runtime, path, body, { "webhook-id": "msg-1" }));
    const [delivery] = await deliveries(runtime);
    const again = await redeliver(runtime, delivery);
    expect(again.status).toBe(200);
    expect(again.body.run_id).not.toBe(first.run_id);
    const log = await deliveries(runtime);
    expect(log[0]).toMatchObject({ redelivery_of: delivery?.id, run_id: again.body.run_id, status: 202 });
    const record = await runtime.store.findRun(1, again.body.run_id);
    expect(record).toMatchObject({ source: "webhook", isInputRedacted: true });
    const sealed = await runtime.store.findSealed(again.body.run_id, "input");
    expect(sealed).not.toBeNull();
  });

  test("of a request to a paused workflow waits until it is enabled", async () => {
    const runtime = await testRuntime();
    const { path, id } = await publishHook(runtime, orderHook());
    await runtime.control("POST", `/control/triggers/${id}/disable`);
    await send(runtime, path, { id: "ada@example.org" });
    const [refused] = await deliveries(runtime);
    expect(await redeliver(runtime, refused)).toMatchObject({ status: 409, body: { code: "ACTION_UNAVAILABLE" } });
    await runtime.control("POST", `/control/triggers/${id}/enable`);
    const again = await redeliver(runtime, refused);
    const sealed = await runtime.store.findSealed(again.body.run_id, "input");
    const input = runtime.runtime.services.sealer.open(again.body.run_id, "input", sealed?.content ?? new Uint8Array());
    expect(input).toMatchObject({ input: { body: { id: "ada@example.org" } } });
  });

  test("of a request that started nothing is its event's first run: the sender's next try starts no second one", async () => {
    const runtime = await testRuntime();
    const { path, id } = await publishHook(runtime, orderHook());
    const sendEvent = async () => send(runtime, path, { id: "o-1" }, { "webhook-id": "msg-1" });
    await runtime.control("POST", `/control/triggers/${id}/disable`);
    expect([(await sendEvent()).status, (await sendEvent()).status]).toEqual([409, 409]);
    await runtime.control("POST", `/control/triggers/${id}/enable`);
    const refused = (await deliveries(runtime)).filter(({ status }) => status === 409);
    const first = await redeliver(runtime, refused[0]);
    const others = [await redeliver(runtime, refused[1]), await sendEvent()];
    expect(others.map(({ body }) => body.run_id)).toEqual([first.body.run_id, first.body.run_id]);
    // What did start a run is started again: that is what a person asks for.
    const again = await redeliver(
      runtime,
      (await deliveries(runtime)).find(({ run_id }) => run_id !== null),
    );
    expect(again.body.run_id).not.toBe(first.body.run_id);
    expect(await countRuns(runtime)).toBe(2);
  });

  test("of a request that was refused for good, or that is unknown, is refused", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, orderHook('secret: "none of your business"'));
    await send(runtime, path);
    const [unsigned] = await deliveries(runtime);
    const again = await redeliver(runtime, unsigned);
    expect(again).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
    expect(again.body.error).toContain("Invalid webhook signature");
    const unknown = await runtime.control("POST", "/control/deliveries/unknown/redeliver", {});
    expect(unknown).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  });

  test("lets a workflow that responds go to its end", async () => {
    const runtime = await testRuntime();
    const { path } = await publishHook(runtime, answering("{mode: text, body: a}"));
    await runtime.request("POST", path, { body: "{}" });
    const [delivery] = await deliveries(runtime);
    expect(delivery).toMatchObject({ status: 200 });
    const { body } = await redeliver(runtime, delivery);
    expect((await runtime.get(`/runs/${body.run_id}?wait=60`)).body).toMatchObject({ status: "succeeded" });
  });
});
