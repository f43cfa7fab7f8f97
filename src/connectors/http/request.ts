import type { Json } from "../../contract/json.ts";
import { failureOfStatus } from "../../engine/calls/status-failure.ts";
import type { ConnectorOperation, OpenConnection, OperationCall } from "../../engine/connector.ts";
import { type StepOutcome, done } from "../../engine/node.ts";
import { cutText } from "../../engine/values/cut-text.ts";
import { isRecord, toText } from "../../engine/values/json.ts";
import { invalid } from "../invalid-call.ts";
import { applyCredentials } from "./credentials.ts";
import { multipartOf, saveBody } from "./files.ts";
import { readBody } from "./read-body.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
/** Headers that say how a message is framed or where it goes; they belong to the connection, not to the request. */
const framing = /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect|proxy-.*)$/;
const texts = { type: "object", additionalProperties: { type: ["string", "number", "boolean", "null"] } };

export const request: ConnectorOperation = {
  key: "request",
  name: "Request",
  description:
    "Sends one HTTP request. Answers from 400 on fail the step unless failOnStatus is false. GET, HEAD, PUT and DELETE may be sent again after a crash, POST and PATCH are not.",
  inputSchema: {
    type: "object",
    additionalProperties: false,
    required: ["method", "url"],
    properties: {
      method: { type: "string", enum: [...methods], description: "HTTP method" },
      url: {
        type: "string",
        minLength: 1,
        description: "Address, http or https; below the connection's baseUrl when it is relative",
      },
      headers: { ...texts, description: "Headers of the request" },
      query: {
        type: "object",
        additionalProperties: { type: ["string", "number", "boolean", "null", "array"] },
        description: "Query parameters; a list repeats its name, null leaves it out",
      },
      body: {
        description:
          "Body: a text is sent as it is, everything else as JSON, or as a form where the content-type says so",
      },
      form: {
        type: "object",
        description: "In place of body: fields of a multipart form; a file reference {file_id, …} uploads that file",
      },
      responseType: {
        type: "string",
        enum: ["auto", "file"],
        default: "auto",
        description: "file: the answer's body is kept as a file, and body is a reference {file_id, name, size, mime}",
      },
      failOnStatus: { type: "boolean", default: true, description: "Whether a status from 400 on fails the step" },
    },
  },
  outputSchema: {
    type: "object",
    required: ["status", "headers", "body"],
    properties: {
      status: { type: "integer" },
      headers: { type: "object", additionalProperties: { type: "string" }, description: "By name in lower case" },
      body: {
        description: "JSON as its value, a text as text, everything else as base64, or a file reference; null for none",
      },
      encoding: { const: "base64", description: "There when body is base64" },
    },
  },
  effects: ({ method }) => (typeof method === "string" && idempotent.has(method) ? "idempotent" : "unsafe"),
  target: ({ url }) => (typeof url === "string" ? (URL.parse(url)?.host ?? null) : null),
  run: send,
};

async function send(call: OperationCall): Promise<StepOutcome> {
  const { input, connection } = call;
  const method = toText(input["method"]);
  const url = addressOf(toText(input["url"]), input["query"], connection);
  const headers = headersOf(input["headers"]);
  const body = (await multipartOf(call, method)) ?? bodyOf(input["body"], method, headers);
  if (!headers.has("idempotency-key")) headers.set("idempotency-key", call.idempotencyKey);
  const { host } = url;
  if (connection) applyCredentials(connection, url, headers);
  const isFile = input["responseType"] === "file";
  const response = await (isFile ? call.fetchFile : call.fetch)(url.href, {
    method,
    headers,
    body,
    signal: call.signal,
  });
  const failure = input["failOnStatus"] === false ? null : failureOfStatus(response, { now: call.now(), what: host });
  if (!failure) {
    const read = isFile ? { body: await saveBody(call, response, url) } : await readBody(response);
    return done({ status: response.status, headers: plainHeaders(response.headers), ...read });
  }
  return { kind: "fail", error: { ...failure, details: { ...failure.details, ...(await readFailure(response)) } } };
}

/** The service's own words, as far as they can be read: what it says is more use than its status. */
export async function readFailure(response: Response): Promise<{ body?: Json }> {
  try {
    const { body } = await readBody(response);
    return body === null ? {} : { body: shortened(body) };
  } catch {
    return {};
  }
}

const maxShownLength = 4000;

function shortened(body: Json): Json {
  const text = toText(body);
  return text.length <= maxShownLength ? body : cutText(text, maxShownLength);
}

/** Throws a CallError for an address that has no place, and for credentials that would go to another service. */
function addressOf(text: string, query: Json | undefined, connection: OpenConnection | null): URL {
  const base = toText(connection?.settings["baseUrl"] ?? null);
  const url = base === "" ? URL.parse(text) : addressAt(text, base);
  if (!url) {
    throw invalid(
      "url is no address: write a whole one such as https://example.com/orders, or use a connection with a baseUrl",
    );
  }
  if (isRecord(query)) addFields(url.searchParams, query);
  return url;
}

function addressAt(text: string, base: string): URL | null {
  const url = URL.parse(text) ?? below(base, text);
  const own = URL.parse(base);
  if (url && url.origin !== own?.origin) {
    throw invalid(`The connection is for ${own?.host ?? base} and can't be used for ${url.host}`);
  }
  return url;
}

function addFields(to: URLSearchParams, fields: { readonly [key: string]: unknown }): void {
  for (const [name, value] of Object.entries(fields)) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const given = values.filter((each) => each !== null && each !== undefined);
    for (const each of given) to.append(name, toText(each));
  }
}

/** `orders` and `/orders` both lie below the base's own path. */
function below(base: string, path: string): URL | null {
  const start = base.endsWith("/") ? base : `${base}/`;
  return URL.parse(path.replace(/^\/+/, "").replace(/^(?=[^/?#]*:)/, "./"), start);
}

function headersOf(given: Json | undefined): Headers {
  const headers = new Headers();
  if (!isRecord(given)) return headers;
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    if (framing.test(name.toLowerCase())) throw invalid(`The header ${name} is set by the connection; leave it out`);
    try {
      headers.set(name, toText(value));
    } catch {
      throw invalid(`The header ${JSON.stringify(name.slice(0, 100))} has a name or a value that HTTP can't carry`);
    }
  }
  return headers;
}

function bodyOf(body: Json | undefined, method: string, headers: Headers): string | null {
  if (body === undefined || body === null) return null;
  if (method === "GET" || method === "HEAD")
    throw invalid(`A ${method} request has no body; use query, or another method`);
  if (typeof body === "string") {
    if (!headers.has("content-type")) headers.set("content-type", "text/plain; charset=utf-8");
    return body;
  }
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return isForm(headers) && isRecord(body) ? formOf(body) : JSON.stringify(body);
}

function isForm(headers: Headers): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers.get("content-type") ?? "");
}

/** The fields of a form, by the rules of `query`: a list repeats its name, null leaves it out. */
function formOf(fields: { readonly [key: string]: unknown }): string {
  const form = new URLSearchParams();
  addFields(form, fields);
  return form.toString();
}

/** A header that came several times has its values joined by commas, `set-cookie` as well, which Headers lists one by one. */
function plainHeaders(headers: Headers): { [key: string]: Json } {
  return Object.fromEntries(Array.from(headers.keys(), (name) => [name, headers.get(name)]));
}
