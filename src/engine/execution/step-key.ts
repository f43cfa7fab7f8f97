import type { Iteration } from "../../contract/iteration.ts";

/** Names a step in its iteration among what belongs to a run: its moments, and the runs that it started. */
export function stepKey(stepId: string, iteration: Iteration): string {
  return iteration === null ? stepId : `${stepId}:${iteration.join(",")}`;
}
