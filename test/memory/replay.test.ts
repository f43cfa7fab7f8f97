import { expect, test } from "vitest";
import { z } from "zod";
import type { JournalEvent } from "../../src/contract/journal.ts";
import type { ReplayPlan } from "../../src/contract/replay.ts";
import type { RunDiff } from "../../src/contract/run-diff.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import { type NodeType, defineNode, done, fail } from "../../src/engine/node.ts";
import { nodes } from "../../src/nodes/index.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { flow, keep, waitFor } from "../support/time-workflows.ts";

/** A `noop` that acts on another system, and fails while its id is among `broken`. */
function actingCatalogue(): { catalogue: NodeType[]; broken: Set<string>; acted: string[] } {
  const broken = new Set<string>();
  const acted: string[] = [];
  const acting = defineNode({
    type: "noop",
    title: "Acting",
    group: "Utilities",
    summary: "",
    config: z.object({}),
    effects: () => "unsafe",
    run({ step, upstream }) {
      const name = step.iteration === null ? step.id : `${step.id}[${step.iteration.join(",")}]`;
      acted.push(name);
      return broken.has(name) ? fail("UNKNOWN", `${name} is broken`) : done(upstream);
    },
  });
  return { catalogue: nodes.map((type) => (type.type === "noop" ? acting : type)), broken, acted };
}

async function setUp(workflow: string) {
  const { catalogue, broken, acted } = actingCatalogue();
  const t = await testRuntime({ catalogue });
  await t.publish(workflow);
  return { test: t, broken, acted };
}

async function eventsOf(t: TestRuntime, id: string): Promise<JournalEvent[]> {
  return (await t.get<{ events: JournalEvent[] }>(`/runs/${id}/events?limit=1000`)).body.events;
}

async function endOf(t: TestRuntime, id: string): Promise<RunDetail> {
  for (let round = 0; round < 3; round += 1) {
    await t.settled();
    const { body } = await t.get<RunDetail>(`/runs/${id}`);
    if (body.status === "waiting_for_approval") await t.post(`/runs/${id}/approve`, { decision: "approved" });
    if (body.status === "waiting") t.clock.advance(601_000);
  }
  return (await t.get<RunDetail>(`/runs/${id}`)).body;
}

async function startRun(t: TestRuntime, input: unknown = {}): Promise<RunDetail> {
  const { body } = await t.post<{ run_id: string }>("/actions/flow/run", { input });
  return endOf(t, body.run_id);
}

async function replay(t: TestRuntime, id: string, body: unknown = {}): Promise<RunDetail> {
  const answer = await t.post<RunDetail>(`/runs/${id}/replay`, body);
  expect([answer.status, answer.body]).toEqual([202, expect.anything()]);
  return endOf(t, answer.body.run_id);
}

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

const items = [{ n: 1 }, { n: 2 }, { n: 3 }];
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

const diamond = ["action_input -> a", "action_input -> b", "a -> m.input_0", "b -> m.input_1", "m -> c", "c -> done"];
const merge = { id: "m", type: "merge", data: "{mode: wait_for_all, inputs: 2}" };
const noop = (id: string, data = "{}") => ({ id, type: "noop", data });
const choice = {
  id: "pick",
  type: "condition",
  data: '{combinator: AND, conditions: [{id: c, field: "{{action_input.who}}", operator: EXISTS}]}',
};
const branches = [
  "action_input -> pick",
  "pick.true -> yes",
  "pick.false -> no",
  "yes -> end",
  "no -> end",
  "end -> done",
];
const nested = [
  { id: "outer", type: "loop", data: '{items: "{{action_input.items}}", itemVariable: o}' },
  { id: "inner", type: "loop", data: '{items: "{{action_input.items}}", itemVariable: i}' },
  noop("deep"),
  noop("last"),
];
const nestedEdges = [
  "action_input -> outer",
  "outer.loop -> inner",
  "inner.loop -> deep",
  "outer.done -> last",
  "last -> done",
];

type Graph = [
  name: string,
  nodes: Parameters<typeof flow>[1],
  edges: string[],
  broken: string[],
  body: { [key: string]: unknown },
];

/** Twelve graphs: what fails in the original, and what is asked of the replay. */
const graphs: Graph[] = [
  [
    "a line, failed in the middle",
    [noop("a"), noop("b"), noop("c")],
    ["action_input -> a", "a -> b", "b -> c", "c -> done"],
    ["b"],
    {},
  ],
  [
    "a line, from the start",
    [noop("a"), noop("b")],
    ["action_input -> a", "a -> b", "b -> done"],
    [],
    { from: "start" },
  ],
  [
    "a line, from a step",
    [noop("a"), noop("b"), noop("c")],
    ["action_input -> a", "a -> b", "b -> c", "c -> done"],
    [],
    { from: "b" },
  ],
  ["a diamond with one side failed", [noop("a"), noop("b"), merge, noop("c")], diamond, ["b"], {}],
  ["a diamond from one side", [noop("a"), noop("b"), merge, noop("c")], diamond, [], { from: "a" }],
  [
    "a branch that was taken, from the start",
    [choice, noop("yes"), noop("no"), noop("end")],
    branches,
    [],
    { from: "start" },
  ],
  ["a branch with another input", [choice, noop("yes"), noop("no"), noop("end")], branches, [], { input: {} }],
  ["a branch, failed behind it", [choice, noop("yes"), noop("no"), noop("end")], branches, ["end"], {}],
  [
    "a continued failure",
    [noop("a", "{continueOnFailure: true}"), noop("b")],
    ["action_input -> a", "a -> b", "b -> done"],
    ["a", "b"],
    {},
  ],
  [
    "a loop that broke off",
    [{ id: "each", type: "loop", data: '{items: "{{action_input.items}}"}' }, noop("one"), noop("two"), noop("after")],
    ["action_input -> each", "each.loop -> one", "one -> two", "each.done -> after", "after -> done"],
    ["two[2]"],
    {},
  ],
  ["a loop in a loop that broke off", nested, nestedEdges, ["deep[1,1]"], {}],
  ["a loop in a loop, from a step inside", nested, nestedEdges, [], { from: "deep" }],
];

test.each(graphs)("the preview is what the replay then does: %s", async (_, list, edges, failing, body) => {
  const { test: t, broken, acted } = await setUp(flow("flow", list, edges));
  for (const name of failing) broken.add(name);
  const original = await startRun(t, { who: "Ada", items: items.slice(0, 3) });
  expect(original.status).toBe(failing.length > 0 ? "failed" : "succeeded");
  const actedBefore = new Set(acted.map(nodeOf));
  acted.length = 0;
  broken.clear();
  const { body: plan } = await t.post<ReplayPlan>(`/runs/${original.run_id}/replay/preview`, body);
  const run = await replay(t, original.run_id, body);
  expect(run.status).toBe("succeeded");
  const events = await eventsOf(t, run.run_id);
  const idsOf = (list: readonly JournalEvent[]) => [...new Set(list.map(({ step_id }) => step_id))].toSorted();
  const ends = ["step_completed", "step_skipped", "step_failed_continued"];
  const copied = events.filter((event) => event.copied);
  // What the original skipped is skipped again, unless the input is another one.
  const anew = events.filter((event) => !event.copied && ("input" in body || event.type !== "step_skipped"));
  expect(plan.reused.toSorted()).toEqual(idsOf(copied.filter(({ type }) => ends.includes(type))));
  expect(plan.rerun.toSorted()).toEqual(idsOf(anew));
  const skipped = new Set(events.filter(({ type }) => type === "step_skipped").map(({ step_id }) => step_id));
  const repeated = new Set(acted.map(nodeOf).filter((id) => actedBefore.has(id)));
  expect(plan.side_effects_repeated.filter((id) => !skipped.has(id)).toSorted()).toEqual([...repeated].toSorted());
  expect(plan.refused).toEqual([]);
});

/** The node of a step that is named with its iteration. */
function nodeOf(step: string): string {
  return step.replace(/\[.*/, "");
}

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
