import type { Json } from "../../contract/json.ts";
import { isRecord } from "../values/json.ts";

/** Levels of nesting that an example has. */
const maxDepth = 6;

/** A value as a JSON Schema describes it: its own example where it gives one, else the simplest that fits. */
export function exampleOf(schema: unknown, depth = 0): Json {
  if (!isRecord(schema) || depth > maxDepth) return null;
  const { example, examples, const: only, enum: allowed, default: usual } = schema;
  const given = [example, ...(Array.isArray(examples) ? examples : []), usual, only];
  const chosen = given.find((value) => value !== undefined) ?? (Array.isArray(allowed) ? allowed[0] : undefined);
  // A schema is JSON, and so is everything in it.
  if (chosen !== undefined) return chosen as Json;
  const { type } = schema;
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return exampleText(schema["format"]);
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "array":
      return schema["items"] === undefined ? [] : [exampleOf(schema["items"], depth + 1)];
    case "null":
      return null;
    default:
      return exampleObject(schema["properties"], depth);
  }
}

function exampleObject(properties: unknown, depth: number): Json {
  if (!isRecord(properties)) return {};
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, exampleOf(each, depth + 1)]));
}

function exampleText(format: unknown): string {
  switch (format) {
    case "date-time":
      return "2026-01-15T10:00:00.000Z";
    case "date":
      return "2026-01-15";
    case "email":
      return "ada@example.com";
    case "uri":
    case "url":
      return "https://example.com";
    default:
      return "example";
  }
}
