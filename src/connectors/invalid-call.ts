import { CallError } from "../engine/calls/call-error.ts";

/** The failure of a call whose input can't be sent. */
export function invalid(message: string): CallError {
  return new CallError({ code: "VALIDATION_ERROR", message, retryable: false });
}
