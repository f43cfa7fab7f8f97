import { ApiError } from "../../contract/errors.ts";
import { WriteRefused } from "../../store/write-refused.ts";
import type { Log } from "../log.ts";

export type AnswerHeaders = Readonly<Record<string, string>>;

const always = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** An answer with a JSON body. One Response with plain headers: the adapter's fast path. */
export function answerJson(value: unknown, status: number, headers: AnswerHeaders = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...always, ...headers } });
}

/** A good answer that is a text already. */
export function answerText(text: string, type: string): Response {
  return new Response(text, { status: 200, headers: { ...always, "content-type": type } });
}

/** An error as callers may see it: of the daemon's own they hear no more than that the database takes no writes. */
export function shownError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError("INTERNAL_ERROR", error instanceof WriteRefused ? error.message : "Internal error");
}

/**
 * The answer to an error, in the one shape there is (spec 7). What no caller may see is logged and answered as
 * INTERNAL_ERROR. `headers` are those of the request so far.
 */
export function answerError(error: unknown, log: Log, headers: AnswerHeaders = {}): Response {
  const shown = shownError(error);
  if (shown !== error) log.error(error, "A request failed");
  const challenge = shown.status === 401 ? { "www-authenticate": "Bearer" } : {};
  return answerJson(shown.body(), shown.status, { ...challenge, ...retryHeaders(shown, headers) });
}

/** The answer to a method that a path does not have; `allow` lists those that it has (contract 6). */
export function answerNotAllowed(method: string, allow: string, log: Log, headers: AnswerHeaders = {}): Response {
  const error = new ApiError("METHOD_NOT_ALLOWED", `${method.slice(0, 20)} is not allowed here; allowed: ${allow}`);
  return answerError(error, log, { ...headers, allow });
}

/** The headers of a request so far with what an error adds: when to try again. */
export function retryHeaders({ status, retryAfterSeconds }: ApiError, headers: AnswerHeaders): AnswerHeaders {
  return {
    ...headers,
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    // Also where another limit than the window's was hit (contract 6).
    ...(status === 429 && "x-ratelimit-remaining" in headers && { "x-ratelimit-remaining": "0" }),
  };
}
