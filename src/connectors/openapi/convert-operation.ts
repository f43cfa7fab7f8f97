import type { Json } from "../../contract/json.ts";
import { type ManifestOperation, httpMethods, manifestOperation } from "../../contract/manifest.ts";
import { checkOperation } from "../manifest/check-operation.ts";
import { addBody, isJsonType } from "./convert-body.ts";
import { type Draft, addParameters, findParameters } from "./convert-parameters.ts";
import { findServer, pathFromBase } from "./find-server.ts";
import { type SchemaUse, inlineSchema } from "./inline-schema.ts";
import { type Part, type References, cutText, listOf, recordOf, textOf } from "./references.ts";

/** Where an operation stands in its document. */
export type OperationPlace = { path: string; method: (typeof httpMethods)[number]; item: Part; operation: Part };

export type Surroundings = {
  refs: References;
  /** OpenAPI 3.0 has schemas of its own kind. */
  isOld: boolean;
  base: string | null;
  connection: readonly string[];
};

/** An operation of the manifest, or why there can't be one. */
export type ConvertedOperation = { operation: ManifestOperation; warnings: string[] } | { reason: string };

const inputUse: SchemaUse = { direction: "input", budget: 400, words: 400 };
const outputUse: SchemaUse = { direction: "output", budget: 150, words: 120 };

export function convertOperation(place: OperationPlace, key: string, around: Surroundings): ConvertedOperation {
  const { path, method, item, operation } = place;
  const prefix = pathPrefix(item, operation, around.base);
  if (prefix === null) return { reason: "it has a server of its own, to which no credentials may go" };
  const draft: Draft = { path: prefix + path, properties: {}, required: [], request: {}, warnings: [] };
  const schemaOf = (schema: unknown) => inlineSchema(schema, inputUse, around.refs, around.isOld);
  const reason =
    addParameters(draft, findParameters(item, operation, around.refs), schemaOf) ??
    (method === "GET" || method === "HEAD" ? null : addBody(draft, operation, around.refs, schemaOf));
  if (reason !== null) return { reason };
  const outputSchema = findOutput(operation, around);
  const parsed = manifestOperation.safeParse({
    key,
    name: nameOf(place),
    description: describe(operation),
    method,
    path: draft.path,
    inputSchema: inputOf(draft),
    ...(outputSchema ? { outputSchema } : {}),
    request: draft.request,
  });
  if (!parsed.success) return { reason: parsed.error.issues[0]?.message ?? "it is malformed" };
  // Its schemas were made here, of keywords that are known to be right.
  const problem = checkOperation(parsed.data, [], around.connection).find(({ severity }) => severity === "error");
  return problem ? { reason: problem.message } : { operation: parsed.data, warnings: draft.warnings };
}

function inputOf({ properties, required }: Draft): { [key: string]: Json } {
  const all = [...new Set(required)];
  return { type: "object", properties, ...(all.length > 0 ? { required: all } : {}) };
}

function nameOf({ operation, method, path }: OperationPlace): string {
  return cutText(textOf(operation, "summary") || textOf(operation, "operationId") || `${method} ${path}`, 200);
}

/** Null where the operation's server is another one than the connector's. */
function pathPrefix(item: Part, operation: Part, base: string | null): string | null {
  const own = [operation, item].find((part) => listOf(part, "servers").length > 0);
  return own ? pathFromBase(base, findServer(own)) : "";
}

function describe(operation: Part): string {
  const told = cutText(textOf(operation, "description"), 1000);
  return operation["deprecated"] === true ? `Deprecated. ${told}`.trim() : told;
}

/** The schema of a good answer, where that is JSON. */
function findOutput(operation: Part, { refs, isOld }: Surroundings): { [key: string]: Json } | null {
  const responses = recordOf(operation, "responses");
  const code = Object.keys(responses).find((status) => /^2(?:\d\d|XX)$/i.test(status));
  const response = refs.follow(responses[code ?? "default"]);
  const [, media] = Object.entries(recordOf(response, "content")).find(([type]) => isJsonType(type)) ?? [];
  const schema = recordOf(media, "schema");
  return Object.keys(schema).length === 0 ? null : inlineSchema(schema, outputUse, refs, isOld);
}
