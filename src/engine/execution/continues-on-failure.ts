import type { StepState } from "../graph/scope-state.ts";

/** The setting, on a type that heeds it: `stop_and_error` stops all the same (contract 2). */
export function continuesOnFailure({ node }: StepState): boolean {
  return node.settings.continueOnFailure && !node.type.ignores?.includes("continueOnFailure");
}
