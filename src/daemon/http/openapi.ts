import * as z from "zod";
import { action } from "../../contract/action.ts";
import { approval } from "../../contract/approval.ts";
import { errorBody } from "../../contract/error-body.ts";
import { journalEvent } from "../../contract/journal.ts";
import { run, runDetail, runError, runRow, step } from "../../contract/run.ts";
import { isRecord } from "../../engine/values/json.ts";
import { jsonSchemaOptions } from "../../engine/values/json-schema.ts";
import type { FieldPlace, Operation } from "../operation.ts";
import { openPaths } from "./open-paths.ts";
import { runtimeBase } from "./serve-operations.ts";

type JsonObject = { [key: string]: unknown };

/** An OpenAPI 3.1 document, as far as readers of it here look. */
export type OpenApi = {
  openapi: string;
  info: JsonObject;
  paths: { [path: string]: { [method: string]: JsonObject } };
  components: { schemas: { [name: string]: JsonObject } } & JsonObject;
} & JsonObject;

/** Schemas that answers share; an answer that is none of them is named after its operation. */
const shared = {
  Action: action,
  Approval: approval,
  Error: errorBody,
  JournalEvent: journalEvent,
  Run: run,
  RunDetail: runDetail,
  RunError: runError,
  RunRow: runRow,
  Step: step,
};

const description =
  "Starts actions as runs, follows runs and decides on their approvals. A run is asynchronous: it is answered at once " +
  "and read until it has ended. Agents reach the same operations as MCP tools at `/mcp`.";

/** Describes a table of operations, made of the schemas that check their requests (contract 6). */
export function describeApi(operations: readonly Operation[], version: string): OpenApi {
  const names = nameAnswers(operations);
  const routes = operations.map((operation): [path: string, method: string, JsonObject] => [
    runtimeBase + operation.route[1].replaceAll(/:(\w+)/g, "{$1}"),
    operation.route[0].toLowerCase(),
    describeOperation(operation, names.get(operation.output) ?? ""),
  ]);
  const paths: OpenApi["paths"] = {};
  for (const [path, method, described] of [...routes, ...openPaths]) {
    paths[path] = { ...paths[path], [method]: described };
  }
  return {
    openapi: "3.1.1",
    info: { title: "Stepgate", version, description, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
    paths,
    components: { schemas: describeSchemas(names), responses, headers, securitySchemes },
  };
}

function nameAnswers(operations: readonly Operation[]): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>(Object.entries(shared).map(([name, schema]) => [schema, name]));
  for (const { name, output } of operations) {
    if (!names.has(output)) names.set(output, `${name.charAt(0).toUpperCase()}${name.slice(1)}Answer`);
  }
  return names;
}

function describeSchemas(names: ReadonlyMap<z.ZodType, string>): { [name: string]: JsonObject } {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { ...jsonSchemaOptions, uri: schemaPlace });
  const byName = Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(byName.map(([name, { $id: _id, $schema: _dialect, ...schema }]) => [name, schema]));
}

function schemaPlace(name: string): string {
  return `#/components/schemas/${name}`;
}

function describeOperation(operation: Operation, answer: string): JsonObject {
  const { name, title, route, scope, stream, headers: headerFields } = operation;
  const json = { "application/json": { schema: { $ref: schemaPlace(answer) } } };
  const events = { "text/event-stream": { schema: { type: "string" } } };
  const body = describeBody(operation);
  return {
    operationId: name,
    summary: title,
    description: operation.description,
    security: [{ apiKey: [scope] }],
    parameters: [...describeParameters(operation), ...(stream ? [lastEventId] : [])],
    ...(body && { requestBody: body }),
    responses: {
      [route[2]]: {
        description: title,
        headers: { ...rateHeaders, ...(headerFields.has("idempotency_key") && replayedHeader) },
        content: { ...json, ...(stream && events) },
      },
      ...Object.fromEntries(refusals(operation).map((status) => [status, { $ref: "#/components/responses/Error" }])),
    },
  };
}

function describeParameters({ places, headers: named, inputSchema }: Operation): JsonObject[] {
  return fieldsOf(inputSchema).flatMap(({ name, schema, isRequired }) => {
    const place = places.get(name);
    if (place === "body" || place === undefined) return [];
    const { description: about, ...rest } = schema;
    return {
      name: named.get(name) ?? name,
      in: place,
      required: place === "path" || isRequired,
      ...(about !== undefined && { description: about }),
      schema: rest,
    };
  });
}

function describeBody({ places, inputSchema }: Operation): JsonObject | null {
  const fields = fieldsOf(inputSchema).filter(({ name }) => places.get(name) === ("body" satisfies FieldPlace));
  if (fields.length === 0) return null;
  const required = fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map(({ name, schema: field }) => [name, field])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return { required: required.length > 0, content: { "application/json": { schema } } };
}

function fieldsOf({ properties, required }: JsonObject): { name: string; schema: JsonObject; isRequired: boolean }[] {
  const named = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => {
    const schema = isRecord(property) ? property : {};
    // What has a default may be left out, whatever zod makes of a schema that catches.
    return { name, schema, isRequired: named.has(name) && !("default" in schema) };
  });
}

function refusals({ route: [method, path], places, stream }: Operation): string[] {
  const always = ["400", "401", "403", "429", "500"];
  const named = path.includes(":") ? ["404"] : [];
  // Too many answers may be kept open already.
  const open = places.has("wait") || stream ? ["503"] : [];
  return [...always, ...named, ...(method === "POST" ? ["409", "413", "415", "503"] : open)].toSorted();
}

const rateHeaders = Object.fromEntries(
  ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]),
);

const replayedHeader = { "idempotent-replayed": { $ref: "#/components/headers/idempotent-replayed" } };

/** What an event stream is resumed by (contract 6). */
const lastEventId = {
  name: "last-event-id",
  in: "header",
  required: false,
  description: "Of a stream: the id of the last event that is known already; wins over `after`",
  schema: { type: "string", pattern: "^\\d{1,15}$" },
};

function integerHeader(about: string): JsonObject {
  return { description: about, schema: { type: "integer" } };
}

const headers = {
  "x-ratelimit-limit": integerHeader("Requests of this key in 60 seconds"),
  "x-ratelimit-remaining": integerHeader("Requests that are left; 0 on a 429"),
  "x-ratelimit-reset": integerHeader("When the oldest counted request leaves the window, in seconds since 1970"),
  "retry-after": integerHeader("Seconds to wait; on 429 and 503"),
  "idempotent-replayed": {
    description: "Only where the answer is the run that the same idempotency key started before",
    schema: { type: "string", const: "true" },
  },
};

const responses = {
  Error: {
    description: "The request was refused; `code` says why",
    headers: { ...rateHeaders, "retry-after": { $ref: "#/components/headers/retry-after" } },
    content: { "application/json": { schema: { $ref: schemaPlace("Error") } } },
  },
};

const securitySchemes = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "A key of `stepgate keys mint`, with the scope that is named",
  },
};
