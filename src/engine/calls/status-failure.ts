import { parseRetryAfter } from "../execution/retry-after.ts";
import type { StepError } from "../node.ts";

/**
 * The failure that a response's status means (contract 13); null for one below 400. `what` begins the message and says
 * who answered; `detail` is what the service itself said, already safe to show.
 */
export function failureOfStatus(
  response: { status: number; headers: Pick<Headers, "get"> },
  { now, what, detail }: { now: Date; what: string; detail?: string | undefined },
): StepError | null {
  const { status, headers } = response;
  if (status < 400) return null;
  const said = detail ? `: ${detail}` : "";
  const details = { status };
  if (status === 401 || status === 403) {
    const message = `${what} refused the credentials (${status})${said}. Check the connection, or replace its credentials`;
    return { code: "AUTH_EXPIRED", message, retryable: false, details };
  }
  if (status < 500 && status !== 429) {
    return {
      code: "VALIDATION_ERROR",
      message: `${what} refused the call (${status})${said}`,
      retryable: false,
      details,
    };
  }
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), { nowMs: now.getTime(), date: headers.get("date") });
  const again = { retryable: true, details, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  if (status === 429) {
    return { code: "RATE_LIMITED", message: `${what} takes no more calls for now (429)${said}`, ...again };
  }
  return { code: "UPSTREAM_ERROR", message: `${what} failed (${status})${said}`, ...again };
}
