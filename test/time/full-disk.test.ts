import { expect, test } from "vitest";
import * as z from "zod";
import type { RunDetail } from "../../src/contract/run.ts";
import type { DeliveryList } from "../../src/contract/trigger.ts";
import { defineNode } from "../../src/engine/node.ts";
import { nodes } from "../../src/nodes/index.ts";
import { refusedPauseMs } from "../../src/store/write-refused.ts";
import { fullStore } from "../support/full-store.ts";
import { heldCatalogue } from "../support/held-node.ts";
import { failTool } from "../support/mcp.ts";
import { openDisk, startRuntime } from "../support/process.ts";
import { RunDriver } from "../support/run-driver.ts";
import type { RuntimeOptions } from "../support/runtime.ts";
import { flow, keep, waitFor } from "../support/time-workflows.ts";
import { orderHook, publishHook, send } from "../support/webhooks.ts";

/** A `noop` whose start is written on its own, since it has effects outside, and that takes its time. */
const reaching = defineNode({
  type: "noop",
  title: "Reaching",
  group: "Utilities",
  summary: "",
  config: z.object({}),
  effects: () => "idempotent",
  run: async () => new Promise(() => undefined),
});

const held = flow("held", [{ id: "hold", type: "noop" }], ["action_input -> hold", "hold -> done"]);
const lane = flow("lane", [{ id: "hold", type: "noop" }], ["action_input -> hold", "hold -> done"], "concurrency: 1");
const broken = flow(
  "broken",
  [
    { id: "reach", type: "noop" },
    { id: "stop", type: "stop_and_error", data: "{errorMessage: no}" },
  ],
  ["action_input -> reach", "action_input -> stop", "reach -> done"],
);
const gated = flow(
  "gated",
  [{ id: "send", type: "set", data: keep("x", "requireApproval: true") }],
  ["action_input -> send", "send -> done"],
);
const pause = flow(
  "pause",
  [{ id: "rest", type: "wait", data: waitFor(10, "minutes") }],
  ["action_input -> rest", "rest -> done"],
);
const tick = `
name: tick
nodes:
  - {id: trigger, type: trigger, data: {kind: schedule, mode: interval, seconds: 3600}}
  - {id: note, type: set, data: {assignments: [{id: a, key: at, value: "{{trigger.output.timestamp}}"}]}}
edges: [trigger -> note]
`;

const message = "The database refused a write: database or disk is full (SQLITE_FULL)";

async function onDisk(workflows: string[], options: RuntimeOptions = {}) {
  const { store, disk } = fullStore((await openDisk()).store);
  const runtime = await startRuntime(store, options);
  for (const workflow of workflows) await runtime.publish(workflow);
  return { disk, runtime, d: new RunDriver(runtime) };
}

test("a run whose step ended while the disk was full goes on by itself when there is room again", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const { disk, runtime, d } = await onDisk([held], { catalogue });
  const id = await d.start("held");
  disk.isFull = true;
  letGo();
  await runtime.settled();
  expect((await d.after(10 * refusedPauseMs, id)).status).toBe("running");
  disk.isFull = false;
  expect((await d.after(refusedPauseMs, id)).status).toBe("running");
  letGo();
  expect(await d.status(id)).toBe("succeeded");
  expect(await d.journal(id)).toEqual([
    "step_started hold",
    "step_completed hold",
    "step_started done",
    "step_completed done",
  ]);
});

test("a run goes on, too, when a commit was refused while the next one was on its way", async () => {
  const catalogue = nodes.map((type) => (type.type === "noop" ? reaching : type));
  const { disk, runtime, d } = await onDisk([broken], { catalogue });
  const { body } = await runtime.post<{ run_id: string }>("/actions/broken/run", {});
  disk.refusesNext = 1;
  expect(await d.read(body.run_id)).toMatchObject({ status: "accepted", steps: [] });
  expect(await d.after(refusedPauseMs, body.run_id)).toMatchObject({
    status: "failed",
    error: { code: "WORKFLOW_STOPPED" },
  });
});

test("a run that a full disk broke off keeps its place among those that its workflow lets run at once", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const { disk, runtime, d } = await onDisk([lane], { catalogue });
  const first = await d.start("lane");
  const second = await d.start("lane");
  disk.isFull = true;
  letGo();
  await runtime.settled();
  disk.isFull = false;
  await d.after(refusedPauseMs, first);
  expect([await d.status(first), await d.status(second)]).toEqual(["running", "accepted"]);
  letGo();
  expect([await d.status(first), await d.status(second)]).toEqual(["succeeded", "running"]);
});

test("who cancels, decides or starts a run while the disk is full hears of it at once, and nothing has happened", async () => {
  const { disk, runtime, d } = await onDisk([gated]);
  const id = await d.start("gated");
  disk.isFull = true;
  const refused = { status: 500, body: { error: message, code: "INTERNAL_ERROR" } };
  expect(await runtime.post(`/runs/${id}/cancel`)).toMatchObject(refused);
  expect(await d.decide(id, "rejected")).toMatchObject(refused);
  expect(await d.decide(id, "approved")).toMatchObject(refused);
  expect(await runtime.post("/actions/gated/run", {})).toMatchObject(refused);
  expect(await failTool(runtime, "run_action", { slug: "gated" })).toMatchObject(refused.body);
  disk.isFull = false;
  runtime.clock.advance(refusedPauseMs);
  expect(await d.read(id)).toMatchObject({ status: "waiting_for_approval", approval: { status: "pending" } });
  expect(await d.decide(id, "approved")).toMatchObject({ status: 200 });
  expect(await d.status(id)).toBe("succeeded");
});

test("what a webhook refused while the disk was full is noted when there is room, and can be delivered again", async () => {
  const { disk, runtime } = await onDisk([]);
  const hook = await publishHook(runtime, orderHook());
  disk.isFull = true;
  expect(await send(runtime, hook.path, { id: "A-1" })).toMatchObject({ status: 500, body: { error: message } });
  runtime.clock.advance(refusedPauseMs);
  await runtime.settled();
  const list = async () => (await runtime.control<DeliveryList>("GET", "/control/deliveries")).body;
  expect(await list()).toEqual({ deliveries: [] });
  disk.isFull = false;
  runtime.clock.advance(refusedPauseMs);
  await runtime.settled();
  const [refused] = (await list()).deliveries;
  expect(refused).toMatchObject({ status: 500, run_id: null });
  const again = await runtime.control<{ run_id: string }>("POST", `/control/deliveries/${refused?.id}/redeliver`, {});
  expect(again.status).toBe(200);
  const { body: run } = await runtime.get<RunDetail>(`/runs/${again.body.run_id}?wait=60`);
  expect(run.steps[0]?.output).toMatchObject({ id: "A-1" });
});

test("what came due while the disk was full takes effect within seconds of there being room", async () => {
  const { disk, runtime, d } = await onDisk([pause, gated, tick]);
  const waiting = await d.start("pause");
  const asking = await d.start("gated");
  disk.isFull = true;
  await d.after(3_600_000, waiting);
  expect([await d.status(waiting), await d.status(asking)]).toEqual(["waiting", "waiting_for_approval"]);
  disk.isFull = false;
  // A moment may have to be tried a second time, after what stood before it.
  for (let tries = 0; tries < 2; tries += 1) await d.after(refusedPauseMs, waiting);
  expect([await d.status(waiting), await d.status(asking)]).toEqual(["succeeded", "timed_out"]);
  const fired = await runtime.get<{ runs: { status: string }[] }>("/runs?source=schedule");
  expect(fired.body.runs.map(({ status }) => status)).toEqual(["succeeded"]);
});
