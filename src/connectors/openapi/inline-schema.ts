import type { Json } from "../../contract/json.ts";
import { isRecord, setOwn } from "../../engine/values/json.ts";
import { type References, cutText } from "./references.ts";
import { copyBounds, copyRequired, copyType, isScalar } from "./schema-keywords.ts";

export type SchemaUse = {
  /** Fields that only the other side writes are left out. */
  direction: "input" | "output";
  /** Schemas that the result may hold, nested ones counted. */
  budget: number;
  /** Characters that a description may have. */
  words: number;
};

type Schema = { [key: string]: Json };

type Walk = SchemaUse & { refs: References; isOld: boolean; maxRefs: number; left: number; cuts: number };

/** The schema of a part, one level below. */
type Down = (part: unknown) => Schema;

const maxLevels = 20;

/**
 * A schema of an API description as one that stands by itself: references are replaced by what they name, cut where a
 * circle closes. Where that would outgrow the budget, fewer levels of references are followed. What is cut accepts
 * anything of its type, so that a cut never refuses a good value.
 */
export function inlineSchema(schema: unknown, use: SchemaUse, refs: References, isOld: boolean): Schema {
  for (const maxRefs of [8, 5, 3, 2, 1, 0]) {
    const walk: Walk = { ...use, refs, isOld, maxRefs, left: use.budget, cuts: 0 };
    const inlined = inline(schema, walk, [], 0);
    if (walk.left >= 0) return inlined;
  }
  return cut(isRecord(schema) ? schema : {}, "too large to be shown");
}

function inline(schema: unknown, walk: Walk, trail: readonly string[], level: number): Schema {
  walk.left -= 1;
  if (walk.left < 0 || !isRecord(schema)) return {};
  const ref = schema["$ref"];
  if (typeof ref === "string") return inlineReference(schema, ref, walk, trail, level);
  if (level > maxLevels) return cutHere(walk, schema, "deeper levels are left out");
  const down: Down = (part) => inline(part, walk, trail, level + 1);
  const result: Schema = {};
  copyType(schema, result, walk.isOld);
  copyWords(schema, result, walk);
  copyBounds(schema, result);
  copyMembers(schema, result, walk, down);
  copyAlternatives(schema, result, walk, down);
  return result;
}

function inlineReference(
  schema: Record<string, unknown>,
  ref: string,
  walk: Walk,
  trail: readonly string[],
  level: number,
): Schema {
  const target = walk.refs.find(ref);
  const shown = ref.slice(ref.lastIndexOf("/") + 1).slice(0, 100);
  if (!isRecord(target)) return cutHere(walk, {}, `${shown} is not part of the document`);
  if (trail.includes(ref)) return cutHere(walk, target, `a ${shown} again`);
  if (trail.length >= walk.maxRefs) return cutHere(walk, target, `${shown}, whose fields are left out`);
  const inlined = inline(target, walk, [...trail, ref], level);
  const description = schema["description"];
  if (typeof description === "string") inlined["description"] = cutText(description, walk.words);
  return inlined;
}

function cutHere(walk: Walk, schema: Record<string, unknown>, why: string): Schema {
  walk.cuts += 1;
  return cut(schema, why);
}

function cut(schema: Record<string, unknown>, why: string): Schema {
  const result: Schema = {};
  copyType(schema, result, true);
  return { ...result, description: `(${why})` };
}

/** A default is told, not kept: filled in by itself it would overwrite what a change leaves out. */
function copyWords(schema: Record<string, unknown>, result: Schema, { words, direction }: Walk): void {
  const told = typeof schema["description"] === "string" ? schema["description"] : schema["title"];
  const start = typeof told === "string" ? cutText(told, words) : "";
  const preset = schema["default"];
  const end =
    direction === "input" && isScalar(preset) && preset !== null ? `Default: ${String(preset).slice(0, 100)}` : "";
  const description = [start, end].filter((part) => part !== "").join(" ");
  if (description !== "") result["description"] = description;
  for (const key of ["format", "pattern"]) {
    const value = schema[key];
    if (typeof value === "string" && value.length <= 200) result[key] = value;
  }
}

function copyMembers(schema: Record<string, unknown>, result: Schema, walk: Walk, down: Down): void {
  copyRequired(schema, result, copyProperties(schema["properties"], result, walk, down));
  for (const key of ["additionalProperties", "items", "contains", "propertyNames"]) {
    const value = schema[key];
    if (isRecord(value)) result[key] = down(value);
    else if (typeof value === "boolean") result[key] = value;
  }
  if (Array.isArray(schema["prefixItems"]) && schema["prefixItems"].length > 0)
    result["prefixItems"] = schema["prefixItems"].map(down);
}

/** Fields that only the other side writes are left out, and named. */
function copyProperties(given: unknown, result: Schema, walk: Walk, down: Down): Set<string> {
  const left = new Set<string>();
  if (!isRecord(given)) return left;
  const foreign = walk.direction === "input" ? "readOnly" : "writeOnly";
  const properties: Schema = {};
  for (const [name, property] of Object.entries(given)) {
    if (walk.left < 0) break;
    if (name === "__proto__" || (isRecord(property) && property[foreign] === true)) left.add(name);
    else setOwn(properties, name, down(property));
  }
  result["properties"] = properties;
  return left;
}

function copyAlternatives(schema: Record<string, unknown>, result: Schema, walk: Walk, down: Down): void {
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const parts = schema[key];
    if (!Array.isArray(parts) || parts.length === 0) continue;
    const before = walk.cuts;
    const inlined = parts.map(down);
    // With a part cut, several may fit where only one did.
    result[key === "oneOf" && walk.cuts > before && result["anyOf"] === undefined ? "anyOf" : key] = inlined;
  }
  if (!isRecord(schema["not"])) return;
  const before = walk.cuts;
  const refused = down(schema["not"]);
  // What is cut accepts more, and its opposite would refuse more.
  if (walk.cuts === before) result["not"] = refused;
}
