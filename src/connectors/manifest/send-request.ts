import type { Json } from "../../contract/json.ts";
import { failureOfStatus } from "../../engine/calls/status-failure.ts";
import type { StepError } from "../../engine/node.ts";
import { readBody } from "../http/read-body.ts";
import { readFailure } from "../http/request.ts";
import type { BuiltRequest } from "./compile-request.ts";

export type Sent = { body: Json } | { failure: StepError };

/** Sends a request and reads its answer; bytes that are no text come as `{base64, contentType}`. Throws CallErrors. */
export async function sendRequest(
  { url, method, headers, body }: BuiltRequest,
  call: { fetch: typeof fetch; signal: AbortSignal; now(): Date },
): Promise<Sent> {
  const response = await call.fetch(url.href, { method, headers, body, signal: call.signal });
  const failure = failureOfStatus(response, { now: call.now(), what: url.host });
  if (failure) return { failure: { ...failure, details: { ...failure.details, ...(await readFailure(response)) } } };
  const read = await readBody(response);
  if (read.encoding === undefined) return { body: read.body };
  return { body: { base64: read.body, contentType: response.headers.get("content-type") ?? "" } };
}
