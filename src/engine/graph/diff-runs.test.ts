import { expect, test } from "vitest";
import type { Run, Step } from "../../contract/run.ts";
import { diffRuns } from "./diff-runs.ts";

function step(step_id: string, changes: Partial<Step> = {}): Step {
  const times = { started_at: null, completed_at: null, duration_ms: null };
  const common = { iteration: null, type: "set", name: null, status: "completed", attempt: 1, input: null } as const;
  return { step_id, ...common, output: { n: 1, m: 2 }, error: null, ...times, ...changes };
}

function run(steps: Step[], changes: Partial<Run> = {}): Run {
  const times = { started_at: null, completed_at: null, duration_ms: null, created_at: "2026-01-01T00:00:00.000Z" };
  const payloads = { input: {}, output: null, error: null, approval: null };
  const head = {
    run_id: "a",
    action_slug: "s",
    action_release_version: 1,
    source: "action",
    status: "succeeded",
  } as const;
  return { ...head, ...payloads, steps, dry_run: false, ...times, ...changes };
}

test("equal runs have no difference, whatever their ids, times and the order of keys", () => {
  const a = run([step("one", { duration_ms: 5 })]);
  const b = run([step("one", { duration_ms: 9, output: { m: 2, n: 1 } })], {
    run_id: "b",
    created_at: "2026-02-01T00:00:00.000Z",
  });
  const diff = diffRuns(a, b);
  expect(diff.differences).toEqual([]);
  expect(diff.steps).toEqual([{ step_id: "one", iteration: null, change: "same", differences: [] }]);
});

test("what differs is named with both values", () => {
  const error = { code: "UNKNOWN", message: "no" };
  const a = run([step("one", { status: "failed", output: null, error })], { status: "failed", error });
  const diff = diffRuns(a, run([step("one")], { run_id: "b", input: { x: 1 } }));
  expect(diff.differences).toEqual([
    { field: "status", a: "failed", b: "succeeded" },
    { field: "input", a: {}, b: { x: 1 } },
    { field: "error", a: error, b: null },
  ]);
  expect(diff.steps[0]).toMatchObject({ change: "changed" });
  expect(diff.steps[0]?.differences.map(({ field }) => field)).toEqual(["status", "output", "error"]);
});

test("steps that one run alone has are told, iterations one by one", () => {
  const a = run([step("one"), step("two", { iteration: [0] }), step("two", { iteration: [1] })]);
  const b = run([step("two", { iteration: [0] }), step("three")], { run_id: "b" });
  expect(diffRuns(a, b).steps.map(({ step_id, iteration, change }) => [step_id, iteration, change])).toEqual([
    ["one", null, "only_a"],
    ["two", [0], "same"],
    ["two", [1], "only_a"],
    ["three", null, "only_b"],
  ]);
});
