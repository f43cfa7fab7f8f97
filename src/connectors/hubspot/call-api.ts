import type { Json } from "../../contract/json.ts";
import { CallError } from "../../engine/calls/call-error.ts";
import { failureOfStatus } from "../../engine/calls/status-failure.ts";
import type { OpenConnection } from "../../engine/connector.ts";
import type { StepError } from "../../engine/node.ts";
import { cutText } from "../../engine/values/cut-text.ts";
import { isRecord, parseJson, toJson, toText } from "../../engine/values/json.ts";
import { type ServiceAnswer, type ServiceCall, baseUrlOf } from "../service-call.ts";

type Query = Readonly<Record<string, Json | undefined>>;

export type HubspotRequest = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Query;
  body?: Json;
};

export const ownBaseUrl = "https://api.hubapi.com";

/** How long a limit that names no pause lasts at most: that of ten seconds rolls on, that of a day ends at midnight. */
const pauses: Readonly<Record<string, number>> = { TEN_SECONDLY_ROLLING: 10_000, SECONDLY: 1000 };

/** One request to the API; an answer without a body is null. Throws the CallErrors of the guarded fetch. */
export async function callApi(
  call: ServiceCall,
  { method, path, query = {}, body }: HubspotRequest,
): Promise<ServiceAnswer> {
  const url = addressOf(call.connection, path, query);
  const headers = new Headers({ accept: "application/json", authorization: `Bearer ${tokenOf(call.connection)}` });
  if (body !== undefined) headers.set("content-type", "application/json");
  const init = { method, headers, signal: call.signal, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await call.fetch(url.href, init);
  const text = await response.text();
  const read = text === "" ? null : parseJson(text);
  if (response.status < 400 && read !== undefined) return { result: toJson(read) };
  return { error: failureOf(response, isRecord(read) ? read : {}, call.now()) };
}

function addressOf(connection: OpenConnection | null, path: string, query: Query): URL {
  const url = new URL(baseUrlOf({ connection }, ownBaseUrl) + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) url.searchParams.append(name, toText(value));
  }
  return url;
}

/** A private app's token, or the access token of a sign-in. */
function tokenOf(connection: OpenConnection | null): string {
  const token = connection?.secrets["token"] || connection?.secrets["access_token"];
  if (token) return token;
  const message =
    "The connection has no token: give it the token of a private app, or sign in with `stepgate connections reauthorize`";
  throw new CallError({ code: "AUTH_EXPIRED", message, retryable: false });
}

/** HubSpot's errors: `{status, message, correlationId, category, policyName?, errors?}`. Its support asks for the id. */
function failureOf(response: Response, body: Record<string, unknown>, now: Date): StepError {
  const { message, category, correlationId, policyName, errors } = body;
  const detail = typeof message === "string" ? cutText(message, 1000) : undefined;
  const failure = failureOfStatus(response, { now, what: "HubSpot", detail });
  if (!failure) return { code: "UNKNOWN", message: "HubSpot answered with something that is no JSON" };
  failure.details = {
    ...failure.details,
    ...texts({ category, correlation_id: correlationId, policy: policyName }),
    ...(Array.isArray(errors) && { errors: errors.slice(0, 20) as Json[] }),
  };
  if (category === "MISSING_SCOPES") {
    failure.message = `HubSpot refused the call (403): the token lacks a scope: ${detail ?? ""}. Add it to the private app`;
  }
  const pause = typeof policyName === "string" ? pauses[policyName] : undefined;
  if (failure.code === "RATE_LIMITED" && failure.retryAfterMs === undefined && pause !== undefined) {
    failure.retryAfterMs = pause;
  }
  return failure;
}

function texts(values: Readonly<Record<string, unknown>>): { [key: string]: Json } {
  const known = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(known);
}
