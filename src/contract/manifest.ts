import * as z from "zod";
import { jsonObject, jsonValue } from "./json.ts";

/** The manifest of a connector, as people and agents write it (contract 13). */

/** A connector's slug. */
export const connectorSlug = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,56}$/, "must be 1 to 57 of a-z, 0-9, _ and -, starting with a letter");

/** Key of an operation, or name of an event: what nodes and triggers name it by. */
const key = z.string().regex(/^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}$/, "must be 1 to 128 letters, digits, _, . and -");

const label = z.string().min(1).max(200);
const text = z.string().max(4000);

/** A web address without a user, a query or a fragment. */
const webAddress = z.string().refine(isWebAddress, "must be an http or https address such as https://api.example.com");

function isWebAddress(value: string): boolean {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.hash === "" && url.search === "" && !value.includes("{{");
}

/** Field of a connection, and name of a template's `connection.<name>`. */
const fieldName = z
  .string()
  .regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, "must be 1 to 64 letters, digits and _, starting with a letter or _");

const authField = z.strictObject({
  name: fieldName,
  label: label.optional(),
  secret: z.boolean().default(true).describe("Kept encrypted and never shown"),
  required: z.boolean().default(true),
  description: text.optional(),
});

/** Texts by name: of headers, of query parameters, of cookies. */
const texts = z.record(z.string().min(1), z.string());

/** A connection is not needed where this says so. */
const optional = z.boolean().default(false).describe("Whether operations work without a connection");

export const manifestAuth = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({
    type: z.literal("api_key"),
    in: z.enum(["header", "query"]).default("header"),
    name: z.string().min(1).describe("Name of the header or of the query parameter"),
    prefix: z.string().default("").describe('Written before the key, such as "Token "'),
    optional,
  }),
  z.strictObject({ type: z.literal("bearer"), optional }),
  z.strictObject({ type: z.literal("basic"), optional }),
  z.strictObject({
    type: z.literal("oauth2"),
    authorizationUrl: webAddress.optional().describe("Where the user agrees (authorization code with PKCE)"),
    tokenUrl: webAddress,
    grant: z.enum(["authorization_code", "client_credentials", "refresh_token"]).default("authorization_code"),
    scopes: z.array(z.string()).default([]),
    pkce: z.boolean().default(true),
    optional,
  }),
  z.strictObject({
    type: z.literal("custom"),
    fields: z.array(authField).min(1),
    headers: texts.optional().describe("Sent with every call; templates over connection"),
    query: texts.optional().describe("Sent with every call; templates over connection"),
    optional,
  }),
]);
export type ManifestAuth = z.infer<typeof manifestAuth>;

export const queryStyles = ["repeat", "comma", "space", "pipe", "brackets", "deep", "json"] as const;

/** What a call sends; every text in it is a template. */
const request = {
  query: z.record(z.string().min(1), jsonValue).optional(),
  queryStyle: z
    .record(z.string().min(1), z.enum(queryStyles))
    .optional()
    .describe("How a list or an object in a query parameter is written; default repeat, for objects json"),
  headers: texts.optional(),
  cookies: texts.optional(),
  body: jsonValue.optional(),
  contentType: z.string().min(1).optional().describe("Default application/json"),
};

export const httpMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const path = z.string().regex(/^\/(?!\/)/, "must begin with one slash: it is appended to baseUrl");

export const manifestOperation = z.strictObject({
  key,
  name: label,
  description: text.default(""),
  method: z.enum(httpMethods),
  path: path.describe("Below baseUrl; {{input.name}} is encoded as one segment"),
  inputSchema: jsonObject.default({ type: "object", properties: {} }).describe("JSON Schema of the input, an object"),
  outputSchema: jsonObject.optional(),
  request: z.strictObject(request).default({}),
  response: z.strictObject({ path: z.string().optional().describe("Where the result lies in the answer") }).default({}),
  idempotent: z.boolean().optional().describe("Whether it may be repeated; default: GET, HEAD, PUT and DELETE may"),
});
export type ManifestOperation = z.infer<typeof manifestOperation>;

const trigger = {
  event: key,
  name: label,
  description: text.default(""),
  paramsSchema: jsonObject.default({ type: "object", properties: {} }).describe("JSON Schema of the trigger's params"),
  outputSchema: jsonObject.optional(),
  output: jsonValue.optional().describe("Templates over item (and body of a webhook); default: the item itself"),
};

const cursor = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("id").describe("Ids grow: everything above the last is new") }),
  z.strictObject({ by: z.literal("time"), path: z.string().min(1).describe("Where an item has its time") }),
  z.strictObject({ by: z.literal("token"), path: z.string().min(1).describe("Where the answer has the next token") }),
]);

export const pollTrigger = z.strictObject({
  mode: z.literal("poll"),
  ...trigger,
  everySeconds: z.int().min(10).max(86_400).default(60),
  request: z.strictObject({
    method: z.enum(["GET", "POST"]).default("GET"),
    path: path.describe("Templates over params, connection and cursor.last"),
    ...request,
  }),
  items: z.string().default("").describe("Where the answer has its list; empty: the answer is the list"),
  id: z.string().min(1).describe("Where an item has its id"),
  cursor,
});
export type PollTrigger = z.infer<typeof pollTrigger>;

const signature = z.discriminatedUnion("scheme", [
  z.strictObject({
    scheme: z.literal("hmac"),
    header: z.string().min(1).describe("The header with the signature"),
    algorithm: z.enum(["sha256", "sha1", "sha512"]).default("sha256"),
    encoding: z.enum(["hex", "base64"]).default("hex"),
    prefix: z.string().default("").describe('Stands before the signature, such as "sha256="'),
    secret: fieldName.describe("The connection's field with the secret"),
    payload: z.string().default("{{body}}").describe("What was signed: a template over body (as it came) and headers"),
    timestampHeader: z
      .string()
      .min(1)
      .optional()
      .describe("Unix seconds; older or newer than the tolerance is refused"),
    toleranceSeconds: z.int().min(1).max(86_400).default(300),
  }),
  z.strictObject({
    scheme: z.literal("token"),
    in: z.enum(["header", "query"]).default("header"),
    name: z.string().min(1),
    secret: fieldName.describe("The connection's field with the token"),
  }),
]);

export const webhookTrigger = z.strictObject({
  mode: z.literal("webhook"),
  ...trigger,
  signature: signature.optional(),
  when: z
    .array(
      z.strictObject({
        value: z.string().min(1).describe("A template over body, headers, query and params"),
        equals: jsonValue,
      }),
    )
    .optional()
    .describe("Of the requests, those that tell of this event"),
  events: z.string().default("").describe("Where the body has the event or the list of them; empty: the body is one"),
  id: z.string().min(1).describe("The event's id: a template over item, body and headers"),
  answer: z
    .strictObject({
      status: z.int().min(200).max(299).default(200),
      body: z.string().default("").describe("A template over body and query, for services that want to be answered"),
      contentType: z.string().min(1).default("text/plain"),
    })
    .optional(),
});
export type WebhookTrigger = z.infer<typeof webhookTrigger>;

export const manifestTrigger = z.discriminatedUnion("mode", [pollTrigger, webhookTrigger]);
export type ManifestTrigger = z.infer<typeof manifestTrigger>;

/** Operations and events that one connector may have, each. */
export const maxOperations = 5000;

export const manifestHead = z.strictObject({
  slug: connectorSlug,
  name: label,
  version: z.string().min(1).max(50),
  description: text.default(""),
  auth: manifestAuth.default({ type: "none" }),
  baseUrl: webAddress.nullable().describe("The service's address; null: every connection names its own"),
  rateLimit: z
    .strictObject({ requests: z.int().min(1).max(100_000), perSeconds: z.int().min(1).max(3600).default(1) })
    .optional()
    .describe("Calls of one connection are held back to this rate"),
  test: key.optional().describe("The operation that tells whether a connection works; it needs no input"),
});
export type ManifestHead = z.infer<typeof manifestHead>;

export const manifest = manifestHead.extend({
  operations: z.array(manifestOperation).max(maxOperations),
  triggers: z.array(manifestTrigger).max(maxOperations).default([]),
});
export type Manifest = z.infer<typeof manifest>;

/** One problem of a manifest or of an API description: where it is and how to mend it. */
export const buildIssue = z.object({
  severity: z.enum(["error", "warning"]),
  code: z.string(),
  message: z.string(),
  path: z.string().describe("JSON pointer into the document"),
  line: z.int().nullable(),
  column: z.int().nullable(),
});
export type BuildIssue = z.infer<typeof buildIssue>;

/** What is to be built of a text. */
export type BuildRequest = {
  /** `file`: a manifest or an API description, whichever it turns out to be. `manifest` came as JSON, without a text. */
  kind: "file" | "manifest" | "openapi";
  /** The connector's slug; a manifest may say it itself. */
  slug: string | null;
  /** For an API description that was given none. */
  fallbackSlug: string | null;
};
