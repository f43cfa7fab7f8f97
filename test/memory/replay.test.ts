import { expect, test } from "vitest";
import type { ReplayPlan } from "../../src/contract/replay.ts";
import type { RunDiff } from "../../src/contract/run-diff.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import { endOf, eventsOf, items, replay, setUp, startRun } from "../support/acting.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow, keep, waitFor } from "../support/time-workflows.ts";

const line = flow(
  "flow",
  [
    { id: "fetch", type: "set", data: keep("{{action_input.who}}") },
    { id: "send", type: "noop" },
    { id: "book", type: "noop" },
  ],
  ["action_input -> fetch", "fetch -> send", "send -> book", "book -> done"],
);

test("a failed run is replayed from where it failed: what was done is copied and not done again", async () => {
  const { test: t, broken, acted } = await setUp(line);
  broken.add("book");
  const failed = await startRun(t, { who: "ada@example.com" });
  expect(failed.status).toBe("failed");
  broken.clear();
  const fresh = await t.post<RunDetail>(`/runs/${failed.run_id}/replay`, {});
  expect(fresh.body).toMatchObject({ source: "replay", resume_from_run_id: failed.run_id, status: "accepted" });
  const run = await endOf(t, fresh.body.run_id);
  expect(run).toMatchObject({ status: "succeeded", source: "replay", action_release_version: 1 });
  expect(acted).toEqual(["send", "book", "book"]);
  const events = await eventsOf(t, run.run_id);
  expect(events.map(({ type, step_id, copied }) => `${copied ? "copied " : ""}${type} ${step_id}`)).toEqual([
    "copied step_started fetch",
    "copied step_completed fetch",
    "copied step_started send",
    "copied step_completed send",
    "step_started book",
    "step_completed book",
    "step_started done",
    "step_completed done",
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect((await t.get<RunDetail>(`/runs/${failed.run_id}`)).body).toEqual(failed);
});

test("the replay of a copied step works on its true value, and shows the redacted one", async () => {
  const { test: t, broken } = await setUp(
    flow(
      "flow",
      [
        { id: "fetch", type: "set", data: keep("{{action_input.who}}") },
        { id: "book", type: "noop" },
        {
          id: "same",
          type: "condition",
          data: '{combinator: AND, conditions: [{id: c, field: "{{fetch.value}}", operator: TEXT_EXACTLY_MATCHES, value: ada@example.com}]}',
        },
      ],
      ["action_input -> fetch", "fetch -> book", "book -> same", "same.true -> done"],
    ),
  );
  broken.add("book");
  const failed = await startRun(t, { who: "ada@example.com" });
  broken.clear();
  const run = await replay(t, failed.run_id);
  expect(run.steps.find(({ step_id }) => step_id === "same")?.output).toMatchObject({ branch: true });
  expect(run.input).toEqual({ who: "[REDACTED_EMAIL]" });
});

test("an audit entry tells who replayed which run as which", async () => {
  const { test: t } = await setUp(line);
  const first = await startRun(t);
  const second = await replay(t, first.run_id);
  const [entry] = await t.store.listAudit(1, 1);
  expect(entry).toMatchObject({
    event: "run.replayed",
    runId: first.run_id,
    decidedVia: "api",
    comment: `as run ${second.run_id}`,
  });
});

test("a succeeded run has nothing to run: its replay succeeds at once with the same output", async () => {
  const { test: t, acted } = await setUp(line);
  const first = await startRun(t);
  const { body: plan } = await t.post<ReplayPlan>(`/runs/${first.run_id}/replay/preview`, {});
  expect(plan).toEqual({
    reused: ["fetch", "send", "book", "done"],
    rerun: [],
    side_effects_repeated: [],
    refused: [],
  });
  const second = await replay(t, first.run_id);
  expect([second.status, second.output]).toEqual(["succeeded", first.output]);
  expect(acted).toEqual(["send", "book"]);
});

test("an edited input runs everything again and is checked against the version's schema", async () => {
  const { test: t, acted } = await setUp(line);
  const first = await startRun(t, { who: "Ada" });
  const second = await replay(t, first.run_id, { input: { who: "Grace" } });
  expect(second.input).toEqual({ who: "Grace" });
  expect(second.steps[0]?.output).toEqual({ value: "Grace" });
  expect(acted).toEqual(["send", "book", "send", "book"]);
  const wrong = await t.post(`/runs/${first.run_id}/replay`, { input: { who: 7 } });
  expect([wrong.status, wrong.body["code"]]).toEqual([400, "INPUT_VALIDATION_FAILED"]);
});

test("a replay uses the version of the original, and the action's policy of today", async () => {
  const { test: t } = await setUp(line);
  const first = await startRun(t);
  await t.publish(line.replace("slug: flow", "slug: flow\napproval_policy: always").replace("who}}", "who}} x"));
  const { body } = await t.post<RunDetail>(`/runs/${first.run_id}/replay`, { from: "start" });
  expect(body).toMatchObject({ status: "waiting_for_approval", action_release_version: 1 });
  expect((await endOf(t, body.run_id)).status).toBe("succeeded");
});

test("a gate that was not passed asks anew", async () => {
  const { test: t } = await setUp(
    flow(
      "flow",
      [{ id: "pay", type: "noop", data: "{requireApproval: true}" }],
      ["action_input -> pay", "pay -> done"],
    ),
  );
  const { body } = await t.post<{ run_id: string }>("/actions/flow/run", {});
  await t.settled();
  await t.post(`/runs/${body.run_id}/approve`, { decision: "rejected" });
  await t.settled();
  const again = await t.post<RunDetail>(`/runs/${body.run_id}/replay`, {});
  await t.settled();
  const run = (await t.get<RunDetail>(`/runs/${again.body.run_id}`)).body;
  expect([run.status, run.approval?.status]).toEqual(["waiting_for_approval", "pending"]);
  expect((await endOf(t, run.run_id)).status).toBe("succeeded");
});

const loop = flow(
  "flow",
  [
    { id: "each", type: "loop", data: '{items: "{{action_input.items}}"}' },
    { id: "one", type: "noop" },
    { id: "two", type: "noop" },
    { id: "after", type: "noop" },
  ],
  ["action_input -> each", "each.loop -> one", "one -> two", "each.done -> after", "after -> done"],
);

test("a loop that broke off goes on at the item and the step that failed", async () => {
  const { test: t, broken, acted } = await setUp(loop);
  broken.add("two[1]");
  const failed = await startRun(t, { items });
  acted.length = 0;
  broken.clear();
  const run = await replay(t, failed.run_id);
  expect(run.status).toBe("succeeded");
  expect(acted).toEqual(["two[1]", "one[2]", "two[2]", "after"]);
});

test("a step inside a loop as the beginning means its loop from the first item", async () => {
  const { test: t, acted } = await setUp(loop);
  const first = await startRun(t, { items });
  acted.length = 0;
  await replay(t, first.run_id, { from: "two" });
  expect(acted).toEqual(["one[0]", "two[0]", "one[1]", "two[1]", "one[2]", "two[2]", "after"]);
});

test("a loop that ended in spite of a failed item is taken over whole, the failure with it", async () => {
  const { test: t, broken } = await setUp(
    loop.replace('items: "{{action_input.items}}"}', 'items: "{{action_input.items}}", continueOnFailure: true}'),
  );
  broken.add("two[1]").add("after");
  const failed = await startRun(t, { items });
  expect(failed.error?.step_id).toBe("after");
  broken.delete("after");
  const run = await replay(t, failed.run_id);
  const shown = ({ steps }: RunDetail) => steps.map(({ step_id, iteration, status }) => [step_id, iteration, status]);
  const copied = new Set(["each", "one", "two"]);
  const ofLoop = (detail: RunDetail) => shown(detail).filter(([id]) => copied.has(String(id)));
  expect(ofLoop(run)).toEqual(ofLoop(failed));
  expect(ofLoop(run)).toContainEqual(["two", [1], "failed"]);
  expect((await eventsOf(t, run.run_id)).filter((event) => copied.has(event.step_id) && !event.copied)).toEqual([]);
});

test("a replayed dry run runs for real", async () => {
  const { test: t, acted } = await setUp(line);
  const { body } = await t.post<RunDetail>("/actions/flow/run", { dry_run: true });
  const run = await replay(t, body.run_id);
  expect([run.dry_run, run.status, acted]).toEqual([false, "succeeded", ["send", "book"]]);
});

test.each(["send", "nowhere"])("a dry run reached no step, so that it is not replayed from %s", async (from) => {
  const { test: t, acted } = await setUp(line);
  const { body } = await t.post<RunDetail>("/actions/flow/run", { dry_run: true });
  for (const path of ["replay", "replay/preview"]) {
    const refused = await t.post(`/runs/${body.run_id}/${path}`, { from });
    expect([refused.status, refused.body["code"]]).toEqual([400, "BAD_REQUEST"]);
  }
  expect(acted).toEqual([]);
});

test.each([
  ["an unknown step", { from: "nowhere" }, 400],
  ["the trigger, which is no step", { from: "action_input" }, 400],
  ["a step that was never reached", { from: "done" }, 400],
  ["an input together with a step", { from: "send", input: {} }, 400],
  ["an unknown field", { form: "start" }, 400],
  ["a text for an input", { input: "who" }, 400],
])("%s is refused, and nothing is started", async (_, body, status) => {
  const { test: t, broken } = await setUp(line);
  broken.add("book");
  const failed = await startRun(t);
  for (const path of ["replay", "replay/preview"]) {
    const answer = await t.post(`/runs/${failed.run_id}/${path}`, body);
    expect([path, answer.status, answer.body["code"]]).toEqual([path, status, "BAD_REQUEST"]);
  }
  expect((await t.get<{ total: number }>("/runs")).body.total).toBe(1);
});

test("a run that is not over can't be replayed", async () => {
  const { test: t } = await setUp(
    flow("flow", [{ id: "rest", type: "wait", data: waitFor(1, "minutes") }], ["action_input -> rest", "rest -> done"]),
  );
  const { body } = await t.post<RunDetail>("/actions/flow/run", {});
  await t.settled();
  const answer = await t.post(`/runs/${body.run_id}/replay`);
  expect([answer.status, answer.body["error"]]).toEqual([
    400,
    "The run is waiting: a run can be replayed when it is over",
  ]);
});

test("the replay counts for the caller's hourly cap, and needs the scope runs:read alone", async () => {
  const t = await testRuntime({ limits: { runsPerHour: 2 } });
  await t.publish(line);
  const first = await startRun(t);
  const reader = await t.mintKey(["runs:read"]);
  expect((await t.post(`/runs/${first.run_id}/replay`, {}, reader.secret)).status).toBe(202);
  expect((await t.post(`/runs/${first.run_id}/replay`, {}, reader.secret)).status).toBe(429);
  const runner = await t.mintKey(["actions:run"]);
  expect((await t.post(`/runs/${first.run_id}/replay`, {}, runner.secret)).status).toBe(403);
  expect((await t.post(`/runs/${first.run_id}/replay/preview`, {}, reader.secret)).status).toBe(200);
});

test("two runs are compared node by node", async () => {
  const { test: t, broken } = await setUp(line);
  broken.add("book");
  const failed = await startRun(t, { who: "Ada" });
  broken.clear();
  const run = await replay(t, failed.run_id);
  const { status, body } = await t.get<RunDiff>(`/runs/${failed.run_id}/diff?with=${run.run_id}`);
  expect(status).toBe(200);
  expect([body.a.run_id, body.b.run_id]).toEqual([failed.run_id, run.run_id]);
  expect(body.differences.map(({ field }) => field)).toEqual(["status", "output", "error"]);
  expect(body.steps.map(({ step_id, change }) => [step_id, change])).toEqual([
    ["fetch", "same"],
    ["send", "same"],
    ["book", "changed"],
    ["done", "only_b"],
  ]);
  expect((await t.get(`/runs/${failed.run_id}/diff?with=${failed.workflow_id}`)).status).toBe(404);
  expect((await t.get(`/runs/${failed.run_id}/diff`)).status).toBe(400);
});
