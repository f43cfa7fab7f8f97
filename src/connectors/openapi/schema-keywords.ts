import type { Json } from "../../contract/json.ts";

/** Keywords of a schema that hold no other schema, copied as JSON Schema 2020 has them. */

type From = Record<string, unknown>;
type To = { [key: string]: Json };

const maxEnum = 500;
const types = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);
const counts = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];

/** Type, enum and const; `isOld`: of OpenAPI 3.0, where `nullable` adds null. */
export function copyType(schema: From, result: To, isOld: boolean): void {
  const { type } = schema;
  const isNullable = isOld && schema["nullable"] === true;
  const named = (Array.isArray(type) ? type : [type]).filter((one): one is string => types.has(String(one)));
  const all = [...new Set(isNullable && named.length > 0 ? [...named, "null"] : named)];
  if (all.length === 1 && all[0] !== undefined) result["type"] = all[0];
  else if (all.length > 1) result["type"] = all;
  copyEnum(schema["enum"], result, isNullable);
  if (isScalar(schema["const"])) result["const"] = schema["const"];
}

function copyEnum(given: unknown, result: To, isNullable: boolean): void {
  if (!Array.isArray(given) || given.length === 0 || given.length > maxEnum) return;
  const values: Json[] = given;
  result["enum"] = isNullable && !values.includes(null) ? [...values, null] : values;
}

export function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** Bounds of numbers, texts, lists and objects. */
export function copyBounds(schema: From, result: To): void {
  for (const key of counts) {
    const value = schema[key];
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) result[key] = value;
  }
  for (const key of ["minimum", "maximum", "multipleOf"]) {
    const value = schema[key];
    if (typeof value === "number" && (key !== "multipleOf" || value > 0)) result[key] = value;
  }
  copyExclusive(schema, result, "exclusiveMinimum", "minimum");
  copyExclusive(schema, result, "exclusiveMaximum", "maximum");
}

/** Before JSON Schema 2020 it said of the other bound that it is left out itself. */
function copyExclusive(schema: From, result: To, key: string, bound: string): void {
  const value = schema[key];
  if (typeof value === "number") result[key] = value;
  if (value !== true || result[bound] === undefined) return;
  result[key] = result[bound];
  delete result[bound];
}

/** The names that must be given, but for those of fields that were left out. */
export function copyRequired(schema: From, result: To, left: ReadonlySet<string>): void {
  const { required } = schema;
  if (!Array.isArray(required)) return;
  const names = required.filter((name): name is string => typeof name === "string" && !left.has(name));
  if (names.length > 0) result["required"] = [...new Set(names)];
}
