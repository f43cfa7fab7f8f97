import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contract/journal.ts";
import type { ReplayPlan } from "../../src/contract/replay.ts";
import { eventsOf, items, replay, setUp, startRun } from "../support/acting.ts";
import { flow } from "../support/time-workflows.ts";

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
  const idsOf = (some: readonly JournalEvent[]) => [...new Set(some.map(({ step_id }) => step_id))].toSorted();
  const ends = new Set(["step_completed", "step_skipped", "step_failed_continued"]);
  const copied = events.filter((event) => event.copied);
  // What the original skipped is skipped again, unless the input is another one.
  const anew = events.filter((event) => !event.copied && ("input" in body || event.type !== "step_skipped"));
  expect(plan.reused.toSorted()).toEqual(idsOf(copied.filter(({ type }) => ends.has(type))));
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
