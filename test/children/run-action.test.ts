import { expect, it } from "vitest";
import { type RunDetail, isTerminal } from "../../src/contract/run.ts";
import { HttpService, until } from "../support/http-service.ts";
import { RunDriver } from "../support/run-driver.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { dyingStore } from "../support/dying-store.ts";
import { openDisk, startRuntime } from "../support/process.ts";
import type { Store } from "../../src/store/store.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";

type Data = Record<string, unknown>;

/** A workflow whose step `call` runs the action of the input's `slug`, or the one that is named. */
function parent(slug: string, settings: Data = {}, name = "parent"): string {
  const data = { connector: "stepgate", operation: "run_action", input: { slug, input: { n: "{{action_input.n}}" } } };
  return `
name: ${name}
slug: ${name}
nodes:
  - { id: action_input, type: action_input }
  - { id: call, type: connector, data: ${JSON.stringify({ ...data, ...settings })} }
  - { id: return_output, type: return_output, data: { properties: [{ name: got, type: object, value: "{{call.output}}" }] } }
edges: [action_input -> call, call -> return_output]
`;
}

function child(middle: string, extra = ""): string {
  return `
name: child
slug: child
${extra}
nodes:
  - { id: action_input, type: action_input }
  - ${middle}
  - { id: return_output, type: return_output, data: { properties: [{ name: doubled, type: string, value: "{{action_input.n}}{{action_input.n}}" }] } }
edges: [action_input -> middle, middle -> return_output]
`;
}

const noop = "{ id: middle, type: noop }";
const wait = "{ id: middle, type: wait, data: { mode: duration, amount: 1, unit: hours } }";

async function open(...workflows: string[]) {
  const test = await testRuntime();
  for (const text of workflows) await test.publish(text);
  return { test, driver: new RunDriver(test) };
}

/** Starts a run and returns it when it is over: one that waits for its child counts as paused. */
async function toEnd(test: TestRuntime, slug: string, input: unknown): Promise<RunDetail> {
  const driver = new RunDriver(test);
  const id = await driver.start(slug, input);
  await until(async () => isTerminal((await driver.read(id)).status));
  return driver.read(id);
}

async function childrenOf(test: TestRuntime, id: string) {
  return test.store.listChildren(id);
}

it("a step runs another action, waits for its run and has its output", async () => {
  const { test } = await open(child(noop), parent("child"));
  const run = await toEnd(test, "parent", { n: 21 });
  expect(run).toMatchObject({ status: "succeeded", output: { got: { doubled: "2121" } } });
  const [started] = await childrenOf(test, run.run_id);
  const { body } = await test.get<RunDetail>(`/runs/${started?.runId}`);
  expect(body).toMatchObject({ action_slug: "child", source: "action", status: "succeeded", input: { n: 21 } });
});

it("a parent waits across restarts for longer than any time-out, and goes on when its child ends", async () => {
  const { test, driver } = await open(child(wait), parent("child"));
  const id = await driver.start("parent", { n: 1 });
  expect(await driver.status(id)).toBe("waiting");
  await test.restart(60_000);
  expect(await driver.status(id)).toBe("waiting");
  expect(await childrenOf(test, id)).toHaveLength(1);
  // The child's wait comes due while nobody is there.
  await test.restart(3_600_000);
  await until(async () => (await driver.status(id)) === "succeeded");
  expect(await childrenOf(test, id)).toMatchObject([{ status: "succeeded" }]);
  expect(await driver.journal(id)).toEqual([
    "step_started call",
    "step_waiting call",
    "step_completed call",
    "step_started return_output",
    "step_completed return_output",
  ]);
});

it("cancelling a parent cancels its child, and its child's child", async () => {
  const { test, driver } = await open(child(wait), parent("child", {}, "middle"), parent("middle"));
  const id = await driver.start("parent", { n: 1 });
  expect(await driver.status(id)).toBe("waiting");
  const [middle] = await childrenOf(test, id);
  const [last] = await childrenOf(test, middle?.runId ?? "");
  expect(last?.status).toBe("waiting");
  await test.post(`/runs/${id}/cancel`);
  await until(async () => (await driver.status(last?.runId ?? "")) === "cancelled");
  expect(await driver.status(middle?.runId ?? "")).toBe("cancelled");
  expect(await test.store.nextDueAt(-1)).not.toBeLessThan(test.clock.now().getTime());
});

it("a child's failure fails the step with the child's code and run; continueOnFailure goes on with it", async () => {
  const stopping = `
name: child
slug: child
nodes:
  - { id: action_input, type: action_input }
  - { id: stop, type: stop_and_error, data: { errorMessage: "no stock" } }
  - { id: return_output, type: return_output }
edges: [action_input -> stop, action_input -> return_output]
`;
  const { test } = await open(stopping, parent("child"), parent("child", { continueOnFailure: true }, "bold"));
  const failed = await toEnd(test, "parent", { n: 1 });
  const [started] = await childrenOf(test, failed.run_id);
  expect(failed.status).toBe("failed");
  expect(failed.error).toMatchObject({
    code: "WORKFLOW_STOPPED",
    step_id: "call",
    message: `The run ${started?.runId} of child failed: no stock`,
    details: { run_id: started?.runId, status: "failed" },
  });
  const bold = await toEnd(test, "bold", { n: 1 });
  expect(bold.status).toBe("succeeded");
  expect(bold.output).toMatchObject({ got: { error: { message: expect.stringContaining("no stock") } } });
});

it("a child keeps its action's approval policy: its parent waits, and a rejection fails the step", async () => {
  const { test, driver } = await open(child(noop, "approval_policy: always"), parent("child"));
  const id = await driver.start("parent", { n: 2 });
  expect(await driver.status(id)).toBe("waiting");
  const [started] = await childrenOf(test, id);
  expect(started?.status).toBe("waiting_for_approval");
  await driver.decide(started?.runId ?? "", "approved");
  await until(async () => (await driver.status(id)) === "succeeded");
  const second = await driver.start("parent", { n: 2 });
  const [refused] = await childrenOf(test, second);
  await driver.decide(refused?.runId ?? "", "rejected");
  await until(async () => (await driver.status(second)) === "failed");
  expect((await driver.read(second)).error?.message).toContain("was cancelled");
});

it("each iteration of a loop has a child of its own", async () => {
  const call = { connector: "stepgate", operation: "run_action", input: { slug: "child", input: { n: "{{item}}" } } };
  const looped = `
name: looped
slug: looped
nodes:
  - { id: action_input, type: action_input }
  - { id: each, type: loop, data: { items: "{{action_input.list}}" } }
  - { id: call, type: connector, data: ${JSON.stringify(call)} }
  - { id: return_output, type: return_output, data: { properties: [{ name: all, type: array, value: "{{each.iterations}}" }] } }
edges: [action_input -> each, each.loop -> call, each.done -> return_output]
`;
  const { test } = await open(child(noop), looped);
  const run = await toEnd(test, "looped", { list: [1, 2, 3] });
  const all = [{ output: { doubled: "11" } }, { output: { doubled: "22" } }, { output: { doubled: "33" } }];
  expect(run.output).toMatchObject({ all });
  expect((await childrenOf(test, run.run_id)).map(({ step }) => step)).toEqual(["call:0", "call:1", "call:2"]);
});

it("actions run each other five deep and no deeper", async () => {
  const { test } = await open(parent("parent"));
  const run = await toEnd(test, "parent", { n: 1 });
  expect(run.status).toBe("failed");
  expect(run.error?.code).toBe("VALIDATION_ERROR");
  expect(run.error?.message).toContain("5 deep");
  const all = await test.store.listRuns({ workspaceId: 1, limit: 100, offset: 0 });
  expect(all.total).toBe(6);
});

it("an action that can't be run fails the step and says why", async () => {
  const { test } = await open(parent("nobody"));
  const run = await toEnd(test, "parent", { n: 1 });
  expect(run.error).toMatchObject({
    code: "VALIDATION_ERROR",
    message: "The action nobody was not run: No action has the slug nobody",
    details: { refused: "ACTION_NOT_FOUND" },
  });
});

it("a secret in a child's output reaches its parent as it is and no payload that is stored", async () => {
  const service = await HttpService.start(
    (request, response) =>
      void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ echo: request.body })),
  );
  const outside = await outsideRuntime();
  const secret = `token-${"q".repeat(45)}1`;
  const data = { connector: "http", operation: "request" };
  const input = { method: "POST", url: service.url, body: "{{call.output.token}}" };
  await outside.test.publish(`
name: child
slug: child
nodes:
  - { id: action_input, type: action_input }
  - { id: return_output, type: return_output, data: { properties: [{ name: token, type: string, value: "{{action_input.n}}" }] } }
edges: [action_input -> return_output]
`);
  await outside.test.publish(`
name: parent
slug: parent
nodes:
  - { id: action_input, type: action_input }
  - { id: call, type: connector, data: { connector: stepgate, operation: run_action, input: { slug: child, input: { n: "{{action_input.n}}" } } } }
  - { id: send, type: connector, data: ${JSON.stringify({ ...data, input })} }
  - { id: return_output, type: return_output }
edges: [action_input -> call, call -> send, send -> return_output]
`);
  const run = await toEnd(outside.test, "parent", { n: secret });
  expect(run.status).toBe("succeeded");
  expect(service.requests).toMatchObject([{ body: secret }]);
  expect(JSON.stringify(run)).not.toContain(secret);
});

it("a crash at any commit of parent or child starts no second child, and the parent ends as without it", async () => {
  const begin = async (store: Store) => {
    const test = await startRuntime(store);
    await test.publish(child(noop));
    await test.publish(parent("child"));
    return new RunDriver(test).start("parent", { n: 4 });
  };
  const undisturbed = await openDisk();
  const counting = dyingStore(undisturbed.store, Number.POSITIVE_INFINITY, "before");
  await begin(counting);
  expect(counting.commits()).toBeGreaterThan(3);
  for (let at = 1; at <= counting.commits(); at += 1) {
    for (const side of ["before", "after"] as const) {
      const disk = await openDisk();
      const dying = dyingStore(disk.store, at, side);
      const id = await begin(dying);
      expect([at, dying.isDead()]).toEqual([at, true]);
      const next = await startRuntime(disk.store, { now: "2026-01-15T10:01:00.000Z" });
      const driver = new RunDriver(next);
      await until(async () => isTerminal((await driver.read(id)).status));
      expect([at, side, (await driver.read(id)).output]).toEqual([at, side, { got: { doubled: "44" } }]);
      expect((await next.store.listRuns({ workspaceId: 1, limit: 10, offset: 0 })).total).toBe(2);
    }
  }
});

it("a run tells its parent and its children", async () => {
  const { test, driver } = await open(child(noop), parent("child"));
  const run = await toEnd(test, "parent", { n: 1 });
  expect(run.parent_run_id).toBe(null);
  expect(run.child_runs).toMatchObject([{ step: "call", status: "succeeded" }]);
  const [started] = run.child_runs;
  expect((await driver.read(started?.run_id ?? "")).parent_run_id).toBe(run.run_id);
});
