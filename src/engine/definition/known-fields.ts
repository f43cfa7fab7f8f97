import * as z from "zod";
import { isRecord } from "../values/json.ts";
import { type SchemaProblem, type UnknownKeys, readSchema } from "./schema-problems.ts";

/** A value read without the fields that its schema does not know. */
export type KnownReading = {
  /** What the schema parsed; where it found problems, the value as it was written, without the unknown fields. */
  value: unknown;
  problems: readonly SchemaProblem[];
  unknown: readonly UnknownKeys[];
};

/** Parses a value with a strict schema; unknown fields, nested ones too, are reported and dropped. */
export function readKnownFields(schema: z.ZodType, raw: unknown): KnownReading {
  const unknown: UnknownKeys[] = [];
  let value = raw;
  // A round may bring up fields of another branch of a union; more rounds than branches make no sense.
  for (let round = 0; round < 10; round += 1) {
    const read = readSchema(schema, value);
    if (read.ok) return { value: read.value, problems: [], unknown };
    if (read.unknown.length === 0) return { value, problems: read.problems, unknown };
    unknown.push(...read.unknown);
    for (const { path, keys } of read.unknown) value = withoutKeys(value, path, keys);
  }
  return { value, problems: [{ path: [], message: "has no form that the node type knows" }], unknown };
}

/** A copy of a value without some keys of the object at `path`. */
function withoutKeys(value: unknown, path: readonly PropertyKey[], keys: readonly string[]): unknown {
  const [first, ...rest] = path;
  if (Array.isArray(value)) return value.map((item, index) => (index === first ? withoutKeys(item, rest, keys) : item));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  if (first === undefined) return Object.fromEntries(entries.filter(([key]) => !keys.includes(key)));
  return Object.fromEntries(entries.map(([key, item]) => [key, key === first ? withoutKeys(item, rest, keys) : item]));
}

const described = new WeakMap<z.ZodType, unknown>();

/** Names of the fields that a schema knows at a place; of a union, those of all its branches. */
export function fieldNames(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const whole = described.get(schema) ?? z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  described.set(schema, whole);
  let places = branches(whole);
  for (const part of path) places = places.flatMap((place) => branches(step(place, part)));
  return [...new Set(places.flatMap((place) => Object.keys(record(place["properties"]))))];
}

function step(place: Readonly<Record<string, unknown>>, part: PropertyKey): unknown {
  if (typeof part === "number") return place["items"];
  const properties = record(place["properties"]);
  const name = String(part);
  return Object.hasOwn(properties, name) ? properties[name] : place["additionalProperties"];
}

/** A place itself, and what it may be one of. */
function branches(place: unknown): Readonly<Record<string, unknown>>[] {
  if (!isRecord(place)) return [];
  const options = [place["anyOf"], place["oneOf"], place["allOf"]].filter((list) => Array.isArray(list));
  return [place, ...options.flat().flatMap(branches)];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
