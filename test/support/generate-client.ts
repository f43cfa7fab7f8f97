import type { OpenApi } from "../../src/daemon/http/openapi.ts";

type JsonObject = Record<string, unknown>;

/**
 * A typed client in TypeScript, made from an OpenAPI document and nothing else, as a stranger's generator would: a type
 * for each schema, and a function for each operation whose arguments and answer have the types of the document.
 */
export function generateClient(api: OpenApi): string {
  const types = Object.entries(api.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  const functions = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => functionOf(method, path, operation)),
  );
  return [...types, runtime, ...functions].join("\n\n");
}

const runtime = `export type Options = { url: string; key?: string };
type Sent = { path?: object; query?: object; header?: object; body?: unknown };
async function send(options: Options, method: string, path: string, sent: Sent): Promise<{ status: number; body: unknown }> {
  const at = path.replace(/{(\\w+)}/g, (_, name: string) => encodeURIComponent(String((sent.path as Record<string, unknown>)[name])));
  const query = new URLSearchParams(Object.entries(sent.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]));
  const answer = await fetch(options.url + at + (query.size > 0 ? "?" + query : ""), {
    method,
    headers: { ...(options.key && { authorization: "Bearer " + options.key }), ...(sent.header as Record<string, string>) },
    ...(sent.body !== undefined && { body: JSON.stringify(sent.body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: answer.headers.get("content-type") === "application/json" ? JSON.parse(text) : text };
}`;

function functionOf(method: string, path: string, operation: JsonObject): string {
  const parameters = list(operation["parameters"]);
  const places = ["path", "query", "header"].flatMap((place) => {
    const own = parameters.filter((parameter) => parameter["in"] === place);
    if (own.length === 0) return [];
    const fields = own.map(({ name, required, schema }) => field(plain(name), required === true, object(schema)));
    const isNeeded = own.some(({ required }) => required === true);
    return [`${place}${isNeeded ? "" : "?"}: { ${fields.join("; ")} }`];
  });
  const body = object(operation["requestBody"]);
  const media = object(object(body["content"])["application/json"]);
  if (media["schema"]) places.push(`body${body["required"] === true ? "" : "?"}: ${typeOf(object(media["schema"]))}`);
  const good = Object.entries(object(operation["responses"])).filter(([status]) => status.startsWith("2"));
  const answers = good.map(([status, response]) => `{ status: ${status}; body: ${answerType(object(response))} }`);
  const refused = Object.keys(object(operation["responses"])).filter((status) => !status.startsWith("2"));
  if (refused.length > 0) answers.push(`{ status: ${refused.join(" | ")}; body: Error }`);
  const name = plain(operation["operationId"]);
  return `export async function ${name}(options: Options, sent: { ${places.join("; ")} }${places.every((place) => /^\w+\?/.test(place)) ? " = {}" : ""}) {
  return (await send(options, "${method.toUpperCase()}", "${path}", sent)) as ${answers.join(" | ")};
}`;
}

function answerType(response: JsonObject): string {
  const content = object(response["content"]);
  const json = object(content["application/json"])["schema"];
  return json ? typeOf(object(json)) : "string";
}

function field(name: string, isRequired: boolean, schema: JsonObject): string {
  return `${JSON.stringify(name)}${isRequired ? "" : "?"}: ${typeOf(schema)}`;
}

/** Throws for a schema that it does not understand, so that the document cannot hide anything. */
function typeOf(schema: JsonObject): string {
  const { $ref: reference, enum: words, const: only, anyOf, type } = schema;
  if (typeof reference === "string") return reference.slice(reference.lastIndexOf("/") + 1);
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(" | ");
  if (Array.isArray(anyOf)) return anyOf.map((branch) => typeOf(object(branch))).join(" | ");
  if (Array.isArray(type)) return type.map((name: unknown) => typeOf({ ...schema, type: name })).join(" | ");
  if (type === undefined) return "unknown";
  return plainType(plain(type), schema);
}

function plainType(type: string, schema: JsonObject): string {
  if (type === "integer" || type === "number") return "number";
  if (type === "string" || type === "boolean" || type === "null") return type;
  if (type === "array") return `(${typeOf(object(schema["items"]))})[]`;
  if (type !== "object") throw new Error(`The document has a schema of an unknown type ${type}`);
  const properties = Object.entries(object(schema["properties"]));
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  if (properties.length === 0) return "Record<string, unknown>";
  return `{ ${properties.map(([name, property]) => field(name, required.has(name), object(property))).join("; ")} }`;
}

function object(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? (value as JsonObject) : {};
}

function list(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(object) : [];
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
