import { CallError } from "../../engine/calls/call-error.ts";
import { networkFailure } from "./network-failure.ts";

/** Bytes that an answer from outside may have (contract 13). */
export const maxResponseBytes = 5 * 1024 * 1024;

/** The same body, which ends with a CallError when it grows longer than `maxBytes` or its connection breaks. */
export function limitBody(
  body: ReadableStream<Uint8Array>,
  host: string,
  signal: AbortSignal,
  maxBytes: number,
): ReadableStream {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        bytes += value.byteLength;
        if (bytes > maxBytes) throw tooLong(host, maxBytes);
        controller.enqueue(value);
      } catch (error) {
        controller.error(signal.aborted ? signal.reason : networkFailure(error, host));
        reader.cancel().catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

export function tooLong(host: string, maxBytes: number): CallError {
  const limit = Math.round((maxBytes / 1024 / 1024) * 10) / 10;
  return new CallError({
    code: "VALIDATION_ERROR",
    message: `The answer of ${host} is longer than ${limit} MiB, the most that a call may bring in; ask for less at once`,
    retryable: false,
    details: { limit_bytes: maxBytes },
  });
}
