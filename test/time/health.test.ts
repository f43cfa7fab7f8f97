import { expect, test } from "vitest";
import type { RunDetail, RunList } from "../../src/contract/run.ts";
import { RunDriver } from "../support/run-driver.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow, keep } from "../support/time-workflows.ts";

/** Fails when it is told to. */
const moody = (head = "") =>
  flow(
    "moody",
    [
      {
        id: "asked",
        type: "condition",
        data: `{combinator: AND, conditions: [{id: c, field: "{{action_input.who}}", operator: TEXT_EXACTLY_MATCHES, value: fail}]}`,
      },
      { id: "stop", type: "stop_and_error", data: `{errorMessage: "told to"}` },
    ],
    ["action_input -> asked", "asked.true -> stop", "asked.false -> done"],
    head,
  );

async function driver(workflows: string[], options = {}) {
  const runtime = await testRuntime(options);
  for (const workflow of workflows) await runtime.publish(workflow);
  return new RunDriver(runtime);
}

async function run(d: RunDriver, who: string): Promise<RunDetail> {
  return d.read(await d.start("moody", { who }));
}

const count = async (d: RunDriver, query: string) => (await d.test.get<RunList>(`/runs?${query}`)).body.total;

test("an incident is opened by the first failure, joined by the next and closed by a success", async () => {
  const d = await driver([moody()]);
  expect((await run(d, "fine")).incident_id).toBeNull();
  const [first, second] = [await run(d, "fail"), await run(d, "fail")];
  expect(first.incident_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(second.incident_id).toBe(first.incident_id);
  expect((await d.test.control("GET", "/control/incidents")).body).toMatchObject({
    incidents: [{ id: first.incident_id, status: "open", runs: 2, action_slug: "moody" }],
  });
  expect((await run(d, "fine")).incident_id).toBeNull();
  expect((await run(d, "fail")).incident_id).not.toBe(first.incident_id);
  expect((await d.test.control("GET", "/control/incidents")).body).toMatchObject({
    incidents: [{ status: "open" }, { status: "closed" }],
  });
  expect([await count(d, "has_incident=true"), await count(d, "has_incident=false"), await count(d, "")]).toEqual([
    3, 2, 5,
  ]);
  expect(await count(d, "has_incident=true&status=failed&date_from=2026-01-15")).toBe(3);
});

test("failures in a row pause the action, and resuming it counts anew", async () => {
  const d = await driver([moody()], { limits: { autoPauseAfter: 2 } });
  await run(d, "fail");
  await run(d, "fine");
  await run(d, "fail");
  expect((await d.test.get("/actions/moody")).body).toMatchObject({ status: "active" });
  await run(d, "fail");
  expect((await d.test.get("/actions/moody")).body).toMatchObject({ status: "paused" });
  expect(await d.test.post("/actions/moody/run", { input: {} })).toMatchObject({
    status: 409,
    body: { code: "ACTION_UNAVAILABLE" },
  });
  expect((await d.test.control("POST", "/control/actions/moody/resume")).body).toMatchObject({
    slug: "moody",
    status: "active",
  });
  await run(d, "fail");
  expect((await d.test.get("/actions/moody")).body).toMatchObject({ status: "active" });
  await run(d, "fail");
  expect((await d.test.get("/actions/moody")).body).toMatchObject({ status: "paused" });
});

test("what expired, was cancelled or only rehearsed counts for nothing", async () => {
  const policy = flow(
    "policy",
    [{ id: "a", type: "set", data: keep("x") }],
    ["action_input -> a", "a -> done"],
    "approval_policy: always",
  );
  const d = await driver([policy], { limits: { autoPauseAfter: 1 } });
  const expired = await d.start("policy");
  const cancelled = await d.start("policy");
  await d.test.post(`/runs/${cancelled}/cancel`);
  expect(await d.after(3_600_000, expired)).toMatchObject({ status: "timed_out", incident_id: null });
  expect((await d.test.get("/actions/policy")).body).toMatchObject({ status: "active" });
});

test("0 never pauses", async () => {
  const d = await driver([moody()], { limits: { autoPauseAfter: 0 } });
  for (let n = 0; n < 12; n += 1) await run(d, "fail");
  expect((await d.test.get("/actions/moody")).body).toMatchObject({ status: "active" });
});

test("an action is paused, archived and resumed by hand", async () => {
  const d = await driver([moody()]);
  for (const [change, status] of [
    ["pause", "paused"],
    ["archive", "archived"],
    ["resume", "active"],
  ]) {
    expect((await d.test.control("POST", `/control/actions/moody/${change}`)).body).toMatchObject({ status });
  }
  expect((await d.test.control("POST", "/control/actions/nobody/pause")).body).toMatchObject({
    code: "ACTION_NOT_FOUND",
  });
  expect((await d.test.control("POST", "/control/actions/moody/explode")).status).toBe(400);
});

const rescue = `
name: Rescue
slug: rescue
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: run_id, type: string}, {name: workflow, type: string}, {name: error, type: object}]}}
  - {id: done, type: return_output, data: {properties: [{name: text, type: string, value: "{{action_input.workflow}}: {{action_input.error.message}}"}]}}
edges: [action_input -> done]
`;

test("a failure starts the action that its workflow names, once, with what went wrong", async () => {
  const d = await driver([rescue, moody("on_failure: rescue")]);
  await run(d, "fine");
  const failed = await run(d, "fail");
  const { runs } = (await d.test.get<RunList>("/runs?action_slug=rescue")).body;
  expect(runs).toHaveLength(1);
  expect(await d.read(runs[0]?.run_id ?? "")).toMatchObject({
    status: "succeeded",
    input: { run_id: failed.run_id, workflow: "moody", error: { code: "WORKFLOW_STOPPED", step_id: "stop" } },
    output: { text: "moody: told to" },
  });
  await d.test.restart(120_000);
  expect(await count(d, "action_slug=rescue")).toBe(1);
});

test("a failure whose action is gone is logged and forgotten", async () => {
  const d = await driver([moody("on_failure: nobody")]);
  const failed = await run(d, "fail");
  expect(d.test.logged.join("\n")).toContain("was refused");
  expect(await d.test.store.listRunDue(failed.run_id)).toEqual([]);
});
