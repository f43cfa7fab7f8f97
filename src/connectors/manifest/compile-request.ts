import type { Json } from "../../contract/json.ts";
import type { ManifestOperation } from "../../contract/manifest.ts";
import { type Scope, compileConfig } from "../../engine/templates/template.ts";
import { isRecord, toJson, toText } from "../../engine/values/json.ts";
import { encodeBody } from "./encode-body.ts";
import { compilePath } from "./compile-path.ts";
import { invalid } from "../invalid-call.ts";
import { writeQuery } from "./write-query.ts";

export type RequestTemplate = ManifestOperation["request"] & { method: string; path: string };

/** A request that lacks its credentials. */
export type BuiltRequest = { url: URL; method: string; headers: Headers; body: string | FormData | null };

/** Compiles what a call sends. The result throws a CallError for values that no request can hold. */
export function compileRequest({
  method,
  path,
  ...request
}: RequestTemplate): (scope: Scope, base: string) => BuiltRequest {
  const { query = {}, queryStyle = {}, headers = {}, cookies = {}, body, contentType = "application/json" } = request;
  const pathOf = compilePath(path);
  const queryOf = compileConfig(query);
  const headersOf = compileConfig(headers);
  const cookiesOf = compileConfig(cookies);
  const bodyOf = body === undefined ? null : compileConfig(body);
  return (scope, base) => {
    const url = below(base, pathOf(scope));
    writeQuery(url.searchParams, recordOf(queryOf.resolve(scope)), queryStyle);
    const built = buildHeaders(recordOf(headersOf.resolve(scope)), recordOf(cookiesOf.resolve(scope)));
    const value = bodyOf?.resolve(scope);
    const encoded = value === undefined ? null : encodeBody(toJson(value), contentType);
    if (encoded?.contentType && !built.has("content-type")) built.set("content-type", encoded.contentType);
    return { url, method, headers: built, body: encoded?.body ?? null };
  };
}

function recordOf(value: unknown): { [key: string]: Json } {
  return isRecord(value) ? (value as { [key: string]: Json }) : {};
}

/** What the input says decides on neither the host nor what lies above the connector's address. */
function below(base: string, path: string): URL {
  const root = URL.parse(base);
  if (!root)
    throw invalid(`The address ${base} is none: give the connection a baseUrl such as https://api.example.com`);
  const start = root.pathname.replace(/\/+$/, "");
  const url = URL.parse(root.origin + start + path);
  if (url && url.origin === root.origin && url.pathname.startsWith(`${start}/`)) return url;
  throw invalid("The input would lead the call away from the connector's address");
}

function buildHeaders(given: { [key: string]: Json }, cookies: { [key: string]: Json }): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) setHeader(headers, name, value);
  const pairs = Object.entries(cookies).filter(([, value]) => value !== null && value !== undefined);
  if (pairs.length > 0) {
    const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(toText(value))}`).join("; ");
    setHeader(headers, "cookie", text);
  }
  return headers;
}

function setHeader(headers: Headers, name: string, value: Json): void {
  if (value === null || value === "") return;
  try {
    headers.set(name, Array.isArray(value) ? value.map(toText).join(", ") : toText(value));
  } catch {
    throw invalid(`The header ${name} can't hold what the input says: it may have no line breaks`);
  }
}
