import { findCallError } from "../../engine/calls/call-error.ts";
import { failureOfStatus } from "../../engine/calls/status-failure.ts";
import { type StepOutcome, fail } from "../../engine/node.ts";
import { cutText } from "../../engine/values/cut-text.ts";
import { isRecord } from "../../engine/values/json.ts";
import type { ServiceCall } from "../service-call.ts";

const longestMessage = 500;

/**
 * What went wrong with a provider's call, in the words of spec 2.8 (contract 13). Takes whatever an SDK throws: an error
 * with the answer's status and body, one without when there was no answer, or what the reading of the body threw.
 */
export function modelFailure(provider: string, thrown: unknown, call: ServiceCall): StepOutcome {
  const refusal = readStatusError(thrown, call);
  const error = refusal && failureOfStatus(refusal, { now: call.now(), what: provider, detail: refusal.detail });
  if (error) return { kind: "fail", error };
  const broken = findCallError(thrown);
  if (broken) return { kind: "fail", error: broken.failure };
  if (call.signal.aborted)
    return fail("UNKNOWN", `The call of ${provider} was aborted`, { details: { aborted: true } });
  if (thrown instanceof SyntaxError) return malformed(provider, "what it sent is no JSON");
  const reason = withoutSecrets(rootMessage(thrown), call);
  const message = `${provider} could not be reached, or broke off its answer: ${reason}`;
  return fail("UPSTREAM_ERROR", message, { retryable: true });
}

/** An answer that has the right status and is not what the provider's API says. */
export function malformed(provider: string, what: string): StepOutcome {
  return fail("UNKNOWN", `${provider} gave an answer that can't be understood: ${what}`);
}

/** A model that declines to answer: an answer by the protocol, and none to go on with. */
export function refused(provider: string, reason: string | null): StepOutcome {
  const message = `${provider}'s model refused to answer${reason === null ? "" : `: ${reason}`}`;
  return fail("UNKNOWN", message, { details: { refusal: true } });
}

/** Both SDKs throw an error with the answer's `status`, `headers` and parsed body. */
function readStatusError(thrown: unknown, call: ServiceCall) {
  if (!isRecord(thrown) || typeof thrown["status"] !== "number") return null;
  const { status, headers, error } = thrown;
  const said = bodyMessage(error);
  return {
    status,
    headers: headers instanceof Headers ? headers : new Headers(),
    detail: said === null ? undefined : withoutSecrets(said, call),
  };
}

/** `{message}` of one provider, `{error: {message}}` of the other and of most servers that speak like them. */
function bodyMessage(body: unknown): string | null {
  if (typeof body === "string") return body;
  if (!isRecord(body)) return null;
  return typeof body["message"] === "string" ? body["message"] : bodyMessage(body["error"]);
}

/** The first cause: SDKs and fetch wrap it in sentences that say nothing. */
function rootMessage(thrown: unknown): string {
  let at = thrown;
  for (let depth = 0; depth < 5 && at instanceof Error && at.cause !== undefined; depth++) at = at.cause;
  return at instanceof Error ? at.message : String(at);
}

/** Providers like to repeat the key that they refuse. */
function withoutSecrets(text: string, { connection }: ServiceCall): string {
  const secrets = Object.values(connection?.secrets ?? {}).filter((secret) => secret.length > 0);
  const clean = secrets.reduce((left, secret) => left.replaceAll(secret, "[REDACTED_TOKEN]"), text);
  return cutText(clean, longestMessage);
}
