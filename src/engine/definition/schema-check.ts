import { Ajv2020 } from "ajv/dist/2020.js";
import { coerceProperty, type PropertyType } from "../values/coerce.ts";
import { isRecord, setOwn, type Json } from "../values/json.ts";
import { pointerParts } from "../values/json-pointer.ts";
import { type FieldProblem, describeProblem } from "./input-schema.ts";

/** Coerces a value and fills in defaults, or tells every problem at once. The argument is not changed. */
export type SchemaCheck = (value: Json) => { ok: true; value: Json } | { ok: false; problems: FieldProblem[] };

type Schema = { readonly [key: string]: unknown };

const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  useDefaults: true,
  ownProperties: true,
  validateFormats: false,
  logger: false,
});

/**
 * Compiles the JSON Schema of an operation (contract 13). Formats, patterns and `uniqueItems` are left to the service:
 * they come from outside, and no expression of a stranger's may hold the daemon up. What is no schema is told.
 */
export function compileSchema(schema: { readonly [key: string]: Json }): SchemaCheck | { message: string } {
  const safe = withoutHazards(schema, 0);
  try {
    const validate = ajv.compile(safe);
    // ajv keeps what it compiled for good, under the schema's identity; whoever holds the check holds all there is.
    ajv.removeSchema(safe);
    return (value) => {
      const coerced = coerceTo(safe, safe, value, 0);
      if (validate(coerced)) return { ok: true, value: coerced };
      return { ok: false, problems: (validate.errors ?? []).slice(0, 50).map(describeProblem) };
    };
  } catch (error) {
    ajv.removeSchema(safe);
    return { message: error instanceof Error ? error.message.slice(0, 300) : "it can't be compiled" };
  }
}

/** What is wrong with the form of a schema; null where it has the form of one. */
export function findSchemaProblem(schema: { readonly [key: string]: Json }): string | null {
  if (ajv.validateSchema(withoutHazards(schema, 0))) return null;
  return ajv.errorsText(ajv.errors, { dataVar: "schema" }).slice(0, 300);
}

/** Keywords whose value maps names to schemas. */
const maps = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords whose value is data. */
const data = new Set(["enum", "const", "default", "example", "examples", "required", "dependentRequired"]);
const hazards = new Set(["pattern", "patternProperties", "uniqueItems", "format", "$schema", "$id", "id", "__proto__"]);
const maxDepth = 200;

/** A copy without the keywords that cost time out of proportion, or would be looked up elsewhere. */
function withoutHazards(schema: unknown, depth: number): Schema {
  if (!isRecord(schema) || depth > maxDepth) return {};
  const isOpen = Object.hasOwn(schema, "patternProperties");
  const kept = Object.entries(schema).filter(([key]) => {
    if (isOpen && (key === "additionalProperties" || key === "unevaluatedProperties")) return false;
    return !hazards.has(key);
  });
  const copy: { [key: string]: unknown } = {};
  for (const [key, value] of kept) setOwn(copy, key, copyKeyword(key, value, depth + 1));
  // Alternatives of a service's own often overlap, as a number and an integer do; which one is meant is its business.
  const { oneOf, ...rest } = copy;
  if (!Array.isArray(oneOf)) return copy;
  const { allOf } = rest;
  return { ...rest, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] };
}

function copyKeyword(key: string, value: unknown, depth: number): unknown {
  if (data.has(key)) return value;
  if (maps.has(key) && isRecord(value)) {
    const entries = Object.entries(value).filter(([name]) => name !== "__proto__");
    return Object.fromEntries(entries.map(([name, one]) => [name, copySchema(one, depth + 1)]));
  }
  return Array.isArray(value) ? value.map((one) => copySchema(one, depth + 1)) : copySchema(value, depth);
}

function copySchema(value: unknown, depth: number): unknown {
  return isRecord(value) ? withoutHazards(value, depth) : value;
}

/** Turns scalars into the type that the schema wants, as Set does; what can't be turned stays as it is. */
function coerceTo(root: Schema, schema: unknown, value: Json, depth: number): Json {
  if (!isRecord(schema) || depth > maxDepth) return value;
  let result = coerceScalar(wantedTypes(schema), value);
  if (typeof schema["$ref"] === "string") result = coerceTo(root, resolve(root, schema["$ref"]), result, depth + 1);
  for (const part of branches(schema)) result = coerceTo(root, part, result, depth + 1);
  if (Array.isArray(result)) {
    const { items } = schema;
    return isRecord(items) ? result.map((item) => coerceTo(root, items, item, depth + 1)) : [...result];
  }
  return isRecord(result) ? coerceMembers(root, schema, result, depth) : result;
}

function coerceMembers(root: Schema, schema: Schema, value: { [key: string]: Json }, depth: number): Json {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const copy: { [key: string]: Json } = {};
  for (const [key, member] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : schema["additionalProperties"];
    setOwn(copy, key, coerceTo(root, own, member, depth + 1));
  }
  return copy;
}

/** The parts of a schema that a value has to fit besides the schema itself; of alternatives, only where there is one. */
function branches(schema: Schema): unknown[] {
  const all = Array.isArray(schema["allOf"]) ? schema["allOf"] : [];
  const alternatives = [schema["anyOf"], schema["oneOf"]].flatMap((list) => {
    if (!Array.isArray(list)) return [];
    const real = list.filter((one) => !isRecord(one) || one["type"] !== "null");
    return real.length === 1 ? real : [];
  });
  return [...all, ...alternatives];
}

function wantedTypes(schema: Schema): readonly unknown[] {
  const { type } = schema;
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
}

const scalars: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array"]);

function coerceScalar(types: readonly unknown[], value: Json): Json {
  if (value === null || typeof value === "object" || types.some((type) => hasType(value, type))) return value;
  const type = types.find((one) => one !== "null");
  if (!scalars.has(type)) return value;
  // Set's rule makes every other text false; a call is no place to guess.
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value;
  const coerced = coerceProperty(value, type as PropertyType);
  return coerced.ok && coerced.value !== undefined ? coerced.value : value;
}

function hasType(value: string | number | boolean, type: unknown): boolean {
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function resolve(root: Schema, ref: string): unknown {
  if (!ref.startsWith("#")) return undefined;
  return pointerParts(ref.slice(1)).reduce<unknown>(
    (at, part) => (isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined),
    root,
  );
}
