import type { Iteration } from "../../contract/run.ts";

/** The same for every attempt of a step, so that a service can tell a repeated call (contract 5). */
export function idempotencyKey({
  runId,
  stepId,
  iteration,
}: {
  runId: string;
  stepId: string;
  iteration: Iteration;
}): string {
  return iteration === null ? `${runId}:${stepId}` : `${runId}:${stepId}:${iteration.join(".")}`;
}
