import type { Json } from "../../contract/json.ts";
import { isRecord } from "../values/json.ts";

/** Levels of nesting that an example has. */
const maxDepth = 6;

/** A value as a JSON Schema describes it: its own example where it gives one, else the simplest that fits. */
export function exampleOf(schema: unknown, depth = 0): Json {
  if (!isRecord(schema) || depth > maxDepth) return null;
  const chosen = chosenBy(schema);
  // A schema is JSON, and so is everything in it.
  if (chosen !== undefined) return chosen as Json;
  const type: unknown = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  const simple = typeof type === "string" ? simpleExamples.get(type) : undefined;
  if (simple) return simple(schema);
  if (type !== "array") return exampleObject(schema["properties"], depth);
  return schema["items"] === undefined ? [] : [exampleOf(schema["items"], depth + 1)];
}

const exampleNumber = ({ minimum }: Record<string, unknown>): Json => (typeof minimum === "number" ? minimum : 1);

const simpleExamples: ReadonlyMap<string, (schema: Record<string, unknown>) => Json> = new Map([
  ["string", ({ format }) => (typeof format === "string" && examplesOfFormats.get(format)) || "example"],
  ["integer", exampleNumber],
  ["number", exampleNumber],
  ["boolean", () => true],
  ["null", () => null],
]);

/** What the schema itself says that a value is, or may be. */
function chosenBy({ example, examples, const: only, enum: allowed, default: usual }: Record<string, unknown>): unknown {
  const lists = [examples, allowed].map((list): unknown => (Array.isArray(list) ? list[0] : undefined));
  return [example, lists[0], usual, only, lists[1]].find((value) => value !== undefined);
}

const examplesOfFormats: ReadonlyMap<string, string> = new Map([
  ["date-time", "2026-01-15T10:00:00.000Z"],
  ["date", "2026-01-15"],
  ["email", "ada@example.com"],
  ["uri", "https://example.com"],
  ["url", "https://example.com"],
]);

function exampleObject(properties: unknown, depth: number): Json {
  if (!isRecord(properties)) return {};
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, exampleOf(each, depth + 1)]));
}
