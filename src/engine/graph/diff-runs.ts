import type { Difference, RunDiff, StepDiff } from "../../contract/run-diff.ts";
import { canonicalText } from "../../contract/canonical-text.ts";
import type { Run, Step } from "../../contract/run.ts";

const runFields = ["action_slug", "action_release_version", "status", "input", "output", "error"] as const;
const stepFields = ["type", "status", "attempt", "input", "output", "error"] as const;

/** Compares two runs node by node, by what is stored of them. Times, durations and ids differ always and are left out. */
export function diffRuns(a: Run, b: Run): RunDiff {
  const others = new Map(b.steps.map((step) => [keyOf(step), step]));
  const steps = a.steps.map((step): StepDiff => {
    const key = keyOf(step);
    const other = others.get(key);
    others.delete(key);
    return other ? compareSteps(step, other) : lonely(step, "only_a");
  });
  for (const step of others.values()) steps.push(lonely(step, "only_b"));
  return { a: headOf(a), b: headOf(b), differences: differencesOf(runFields, a, b), steps };
}

function headOf({ run_id, action_slug, action_release_version, source, status }: Run): RunDiff["a"] {
  return { run_id, action_slug, action_release_version, source, status };
}

function compareSteps(a: Step, b: Step): StepDiff {
  const differences = differencesOf(stepFields, a, b);
  const change = differences.length === 0 ? "same" : "changed";
  return { step_id: a.step_id, iteration: a.iteration, change, differences };
}

function lonely({ step_id, iteration }: Step, change: "only_a" | "only_b"): StepDiff {
  return { step_id, iteration, change, differences: [] };
}

function differencesOf<Name extends string>(
  names: readonly Name[],
  a: { [key in Name]: unknown },
  b: { [key in Name]: unknown },
): Difference[] {
  return names.flatMap((field) => {
    if (canonicalText(a[field]) === canonicalText(b[field])) return [];
    // Fields of runs and steps are JSON.
    return [{ field, a: a[field] ?? null, b: b[field] ?? null }];
  });
}

function keyOf({ step_id, iteration }: Step): string {
  return `${step_id}:${iteration?.join(",") ?? ""}`;
}
