import fc, { type Arbitrary } from "fast-check";
import type { FieldPlace, Operation } from "../../src/daemon/operation.ts";
import { isRecord } from "../../src/engine/values/json.ts";

/** A request as it is sent; the path is below the runtime API. */
export type FuzzedRequest = { method: string; path: string; headers: Record<string, string>; body: string };

/**
 * Requests to an operation, made from its schema: mostly of the right shape with values at and beyond their bounds, else
 * anything at all. `known` are ids and slugs that exist.
 */
export function requestFor(operation: Operation, known: readonly string[]): Arbitrary<FuzzedRequest> {
  const [method, route] = operation.route;
  return fc
    .record({
      path: pathOf(route, known),
      query: queryOf(operation, known),
      headers: headersOf(operation),
      body: method === "GET" ? fc.constant("") : bodyOf(operation, known),
    })
    .map(({ path, query, headers, body }) => ({ method, path: path + query, headers, body }));
}

const oddSegments = ["%", "%zz", "%ff", "%00", "a%2fb", "..", "", "__proto__", "constructor", " ", "%F0%9F%98%80"];

function pathOf(route: string, known: readonly string[]): Arbitrary<string> {
  const segments = route.split("/").map((part) => {
    if (!part.startsWith(":")) return fc.constant(part);
    const odd = fc.oneof(fc.constantFrom(...oddSegments), fc.string({ unit: "grapheme" }).map(encodeURIComponent));
    return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: odd });
  });
  return fc.tuple(...segments).map((parts) => parts.join("/"));
}

function queryOf(operation: Operation, known: readonly string[]): Arbitrary<string> {
  const fields = fieldsAt(operation, "query", known);
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const pairs = fields.map((given) =>
    Object.entries(given).map(([name, value]) => [name, wellFormed(text(value) ?? "")] as [string, string]),
  );
  const extra = fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 2 });
  const ordinary = pairs.map((each) => new URLSearchParams(each).toString());
  const odd = fc.tuple(pairs, extra).map(([own, others]) => new URLSearchParams([...own, ...others]).toString());
  return fc
    .oneof(
      { weight: 4, arbitrary: ordinary },
      { weight: 1, arbitrary: odd },
      { weight: 1, arbitrary: fc.constantFrom("%", "&&=", "limit=%ff") },
    )
    .map((query) => (query === "" ? "" : `?${query}`));
}

function headersOf({ headers, stream }: Operation): Arbitrary<Record<string, string>> {
  // What a header can carry at all.
  const text = fc.string({ unit: fc.constantFrom("a", "B", "0", " ", "!", "~", "\t", "é"), maxLength: 20 });
  const own = [...headers.values()].map((name) => [name, text] as const);
  const accept = fc.constantFrom("application/json", stream ? "text/event-stream" : "*/*", "");
  const known: Record<string, Arbitrary<string>> = {
    accept,
    "content-type": fc.oneof(fc.constant("application/json"), text),
    "last-event-id": fc.oneof(fc.constantFrom("0", "1", "-1", "99999999999999999999"), text),
    ...Object.fromEntries(own),
  };
  return fc.record(known, { requiredKeys: [] }).map((given) => {
    const entries = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return Object.fromEntries(entries) as Record<string, string>;
  });
}

function bodyOf(operation: Operation, known: readonly string[]): Arbitrary<string> {
  const shaped = fieldsAt(operation, "body", known).map((fields) => JSON.stringify(fields));
  const polluting = fc.constantFrom(
    '{"__proto__":{"polluted":true}}',
    '{"input":{"__proto__":{"polluted":true},"name":"a"}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    `${"[".repeat(200)}${"]".repeat(200)}`,
    `{"input":${'{"a":'.repeat(100)}1${"}".repeat(100)}}`,
    "\ud800",
    "﻿{}",
    '{"input":{"name":"\\ud800"}}',
    '{"input":{"name":"\\u0000"}}',
    '{"input":{"name":"a","times":1e400}}',
  );
  return fc.oneof(
    { weight: 6, arbitrary: shaped },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: polluting },
  );
}

/** Some of the fields that have this place, and now and then one that nobody knows. */
function fieldsAt(
  operation: Operation,
  place: FieldPlace,
  known: readonly string[],
): Arbitrary<Record<string, unknown>> {
  const { inputSchema, places } = operation;
  const properties = isRecord(inputSchema["properties"]) ? inputSchema["properties"] : {};
  const own = Object.entries(properties).filter(([name]) => places.get(name) === place);
  const record = fc.record(Object.fromEntries(own.map(([name, schema]) => [name, valueOf(schema, known)])), {
    requiredKeys: [],
  });
  const unknown = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 1 });
  return fc.oneof(
    { weight: 5, arbitrary: record },
    { weight: 1, arbitrary: fc.tuple(record, unknown).map(([a, b]) => ({ ...a, ...b })) },
  );
}

function valueOf(schema: unknown, known: readonly string[]): Arbitrary<unknown> {
  const fitting = isRecord(schema) ? fittingValue(schema, known) : fc.jsonValue();
  return fc.oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: fc.jsonValue() });
}

function fittingValue(schema: Record<string, unknown>, known: readonly string[]): Arbitrary<unknown> {
  const { enum: words, type, minimum, maximum } = schema;
  if (Array.isArray(words)) return fc.constantFrom<unknown>(...words);
  if (type === "boolean") return fc.boolean();
  if (type === "integer") {
    const [least, most] = [Number(minimum ?? -1e9), Number(maximum ?? 1e9)];
    return fc.oneof(fc.integer({ min: least, max: most }), fc.constantFrom(least, most, least - 1, most + 1, 0.5));
  }
  if (type === "object") {
    const person = fc.record({ name: fc.string(), times: fc.integer() }, { requiredKeys: ["name"] });
    return fc.oneof(person, fc.dictionary(fc.string(), fc.jsonValue()));
  }
  const dates = ["2026-01-15", "2026-01-15T10:00:00Z", "2026-02-30", "+275760-09-13T00:00:00.001Z", "9999-12-31"];
  return fc.oneof(fc.constantFrom(...known, ...dates, "start", "failed"), fc.string({ unit: "grapheme" }));
}

/** Without halves of characters, which no address can carry. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
