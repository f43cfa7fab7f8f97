import type { StepError, StepOutcome } from "../node.ts";

/**
 * Why a call outside failed, as the guarded fetch throws it: the connection broke, or the address may not be called.
 * Connectors need not catch it; where a library wraps it, `findCallError` gets it out again.
 */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly failure: StepError;

  constructor(failure: StepError, options?: ErrorOptions) {
    super(failure.message, options);
    this.failure = failure;
  }
}

/** The failure of a call among what an error was caused by; null when the error comes from somewhere else. */
export function findCallError(thrown: unknown): CallError | null {
  // Libraries wrap errors a few times; a circle of causes has to end somewhere.
  for (let error = thrown, depth = 0; error instanceof Error && depth < 10; error = error.cause, depth += 1) {
    if (error instanceof CallError) return error;
  }
  return null;
}

/** The outcome of a call that threw; anything but a failed call can't be classified (spec 2.8). */
export function failureOfThrown(thrown: unknown): StepOutcome {
  const call = findCallError(thrown);
  if (call) return { kind: "fail", error: call.failure };
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { kind: "fail", error: { code: "UNKNOWN", message: message || "The call failed without a message" } };
}
