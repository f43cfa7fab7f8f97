import type { Json } from "../../contract/json.ts";
import { maxOutputBytes } from "../../contract/limits.ts";
import type { RunError } from "../../contract/run.ts";
import type { StepState } from "../graph/scope-state.ts";
import { exceedsJsonBytes } from "../values/json-size.ts";
import { continuesOnFailure } from "./continues-on-failure.ts";
import { tooLargeOutput } from "./step-errors.ts";

export type LoopEnd =
  | { type: "step_completed"; outputData: Json }
  | { type: "step_failed" | "step_failed_continued"; error: RunError };

/** The event of a loop whose iterations are all done. What they gave is its output, with the limit of every step's. */
export function endLoop(step: StepState, output: Json): LoopEnd {
  if (!exceedsJsonBytes(output, maxOutputBytes)) return { type: "step_completed", outputData: output };
  const type = continuesOnFailure(step) ? "step_failed_continued" : "step_failed";
  return { type, error: { ...tooLargeOutput(maxOutputBytes), step_id: step.node.id } };
}
