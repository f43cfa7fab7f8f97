import * as z from "zod";
import { isRecord } from "../../engine/values/json.ts";

export type JsonSchema = { [key: string]: unknown };

/** The JSON Schema of a tool's arguments: what may be left out is not required, unknown ones are not allowed. */
export function argumentSchema(schema: JsonSchema): JsonSchema {
  return cleanSchema(schema, Number.POSITIVE_INFINITY);
}

/**
 * The JSON Schema of a tool's result. Further members are allowed, so that answers can grow; two levels of objects are
 * spelled out, for a model reads it at a price, and on the second one members that can be anything are left out.
 */
export function outputSchema(schema: z.ZodType): JsonSchema {
  return cleanSchema(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }), 2);
}

/** The bounds that zod gives to every whole number. */
const safeBounds = new Set<unknown>([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);

function cleanSchema(schema: JsonSchema, levels: number): JsonSchema {
  if (levels === 0 && schema["type"] === "object") return { type: "object" };
  const inner = schema["type"] === "object" ? levels - 1 : levels;
  const kept = Object.entries(schema).filter(([key, value]) => !isNoise(schema, key, value));
  const cleaned = Object.fromEntries(kept.map(([key, value]) => [key, cleanKeyword(schema, key, value, inner)]));
  return splitTypes(dropLooseUnion(inner === 0 ? dropAnything(cleaned) : cleaned));
}

/** Without the members whose schema says nothing: they are allowed as any other. */
function dropAnything(schema: JsonSchema): JsonSchema {
  const { properties, required } = schema;
  if (!isRecord(properties)) return schema;
  const saysSomething = (value: unknown) => !isRecord(value) || Object.keys(value).some((key) => key !== "description");
  const told = Object.entries(properties).filter(([, value]) => saysSomething(value));
  const names = new Set<unknown>(told.map(([name]) => name));
  return {
    ...schema,
    properties: Object.fromEntries(told),
    ...(Array.isArray(required) && { required: required.filter((name) => names.has(name)) }),
  };
}

/** What zod adds and no client needs; `pattern` beside `format` says the same again, at length. */
function isNoise(schema: JsonSchema, key: string, value: unknown): boolean {
  if (key === "pattern") return "format" in schema;
  if (key === "required") return requiredOf(schema).length === 0;
  return key === "$schema" || safeBounds.has(value);
}

function cleanKeyword(schema: JsonSchema, key: string, value: unknown, levels: number): unknown {
  if (key === "required") return requiredOf(schema);
  if (key === "additionalProperties" && isRecord(value) && Object.keys(value).length === 0) return true;
  if (key === "properties" && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, cleanAny(property, levels)]));
  }
  if (key === "anyOf" && Array.isArray(value)) return value.map((branch) => cleanAny(branch, levels));
  return key === "items" ? cleanAny(value, levels) : value;
}

function cleanAny(value: unknown, levels: number): unknown {
  return isRecord(value) ? cleanSchema(value, levels) : value;
}

/** A field with a default may be left out, also where zod counts it as required because its schema catches. */
function requiredOf({ required, properties }: JsonSchema): unknown[] {
  const fields = isRecord(properties) ? properties : {};
  return (Array.isArray(required) ? required : []).filter((name: unknown) => {
    const field = fields[String(name)];
    return !(isRecord(field) && "default" in field);
  });
}

/** A union that has room for anything says nothing. */
function dropLooseUnion({ anyOf, ...rest }: JsonSchema): JsonSchema {
  if (anyOf === undefined) return rest;
  const isLoose = Array.isArray(anyOf) && anyOf.some((branch) => isRecord(branch) && !("type" in branch));
  return isLoose ? rest : { ...rest, anyOf };
}

/** `type: [a, b]` as a union: some models' clients take one type alone. */
function splitTypes(schema: JsonSchema): JsonSchema {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const { description, ...constraints } = rest;
  const branches = type.map((name: unknown) => (name === "null" ? { type: name } : { type: name, ...constraints }));
  return { ...(description === undefined ? {} : { description }), anyOf: branches };
}
