import type { Iteration } from "../../contract/run.ts";
import type { FoldEvent, RunFold } from "../graph/fold.ts";
import type { StepError } from "../node.ts";
import { type ScopeState, type StepState, iterationOf } from "../graph/scope-state.ts";
import { abortedError } from "./step-errors.ts";

/** The gate on which a run ends, and what its step fails with. */
export type ClosedGate = { stepId: string; iteration: Iteration; error: StepError };

/**
 * What the journal says of the steps in progress when a run ends from outside: each failed, inner ones first, the gate's
 * own and the loops around it for the gate's reason (contract 5, 7). The fold stays as it is.
 */
export function closingEvents(fold: RunFold, gate: ClosedGate | null): FoldEvent[] {
  return closeScope(fold.root, gate);
}

function closeScope(scope: ScopeState, gate: ClosedGate | null): FoldEvent[] {
  return scope.steps.flatMap((step) => {
    const inner = step.loop?.current ? closeScope(step.loop.current, gate) : [];
    return step.inProgress ? [...inner, failure(step, gate, inner)] : inner;
  });
}

function failure(step: StepState, gate: ClosedGate | null, inner: readonly FoldEvent[]): FoldEvent {
  const stepId = step.node.id;
  const iteration = iterationOf(step);
  const isGate = gate?.stepId === stepId && String(gate.iteration) === String(iteration);
  const holdsGate = inner.some(
    (event) => event.error?.code === gate?.error.code && event.error?.step_id === gate?.stepId,
  );
  const error =
    gate && (isGate || holdsGate) ? { ...gate.error, step_id: gate.stepId } : { ...abortedError, step_id: stepId };
  return { type: "step_failed", stepId, iteration, attempt: Math.max(1, step.attempt), error };
}
