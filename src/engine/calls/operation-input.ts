import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Json } from "../../contract/json.ts";
import type { ConnectorOperation } from "../connector.ts";
import { type GuardedCheck, guardCheck, uncheckable } from "../definition/guard-check.ts";
import { didYouMean, nearestName } from "../definition/nearest-name.ts";
import { pointerParts, toPointer } from "../values/json-pointer.ts";
import { isRecord, readPath, toJson } from "../values/json.ts";

/** One problem of an operation's input; the pointer is relative to the input. */
export type InputProblem = { field: string; message: string; pointer: string };

type Input = { [key: string]: Json };
type Checked = { ok: true; input: Input } | { ok: false; problems: InputProblem[] };
/** Whatever has an input; what was compiled for it lives as long. */
export type Schemed = Pick<ConnectorOperation, "inputSchema">;
type Validators = { strict: ValidateFunction; coercing: ValidateFunction; guarded: GuardedCheck };

const options = {
  allErrors: true,
  strict: false,
  useDefaults: true,
  ownProperties: true,
  addUsedSchema: false,
  verbose: true,
} as const;
const strict = new Ajv(options);
const coercing = new Ajv({ ...options, coerceTypes: true });
const compiled = new WeakMap<Schemed, Validators>();

/** An input as JSON; what a template left out stays out. */
export function presentInput(input: Readonly<Record<string, unknown>>): Input {
  const present = Object.entries(input).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([key, value]) => [key, toJson(value)]));
}

/**
 * Checks an input against its operation's schema, fills defaults in and makes texts of numbers and numbers of texts where
 * the schema wants that. A null is never made into anything. Throws when the schema is none.
 */
export function checkInput(operation: Schemed, given: Input): Checked {
  const validators = validatorsOf(operation);
  const checked = validators.guarded(() => check(validators, given));
  return checked ?? { ok: false, problems: [{ field: "", message: uncheckable, pointer: "" }] };
}

function check(validators: Validators, given: Input): Checked {
  const input = structuredClone(given);
  if (validators.strict(input)) return { ok: true, input };
  const nulls = (validators.strict.errors ?? []).filter(
    ({ keyword, instancePath }) => keyword === "type" && readPath(given, pointerParts(instancePath)) === null,
  );
  if (nulls.length > 0) return { ok: false, problems: nulls.map((error) => describe(error)) };
  const coerced = structuredClone(given);
  if (validators.coercing(coerced)) return { ok: true, input: coerced };
  return { ok: false, problems: (validators.coercing.errors ?? []).map((error) => describe(error)) };
}

/** What is wrong with an input whose templates have no values yet: all that no value could mend. */
export function findStaticProblems(operation: Schemed, given: Readonly<Record<string, unknown>>): InputProblem[] {
  const { coercing: validate, guarded } = validatorsOf(operation);
  // What takes too long here is told when it is called.
  if (guarded(() => validate(structuredClone(given))) ?? true) return [];
  return (validate.errors ?? []).filter((error) => !dependsOnTemplate(error, given)).map((error) => describe(error));
}

/** What lets a schema say of other fields than its `properties`. */
const openKeywords = ["additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "if", "$ref"];

/**
 * Fields that an operation does not name and does not refuse either: most likely they go nowhere. `meant` is the nearest
 * name, also one inside another field: descriptions of APIs have theirs in `body`.
 */
export function findUnknownFields(
  { inputSchema }: Schemed,
  given: Readonly<Record<string, unknown>>,
): { field: string; meant: string | null }[] {
  const { properties } = inputSchema;
  if (!isRecord(properties) || openKeywords.some((keyword) => Object.hasOwn(inputSchema, keyword))) return [];
  const names = Object.keys(properties);
  const inner = names.flatMap((name) => Object.keys(innerFields(properties[name])).map((own) => [own, name] as const));
  const unknown = Object.keys(given).filter((field) => !Object.hasOwn(properties, field));
  return unknown.map((field) => {
    const holder = inner.find(([own]) => own === field)?.[1];
    return { field, meant: holder === undefined ? nearestName(field, names) : `${holder}.${field}` };
  });
}

function innerFields(schema: unknown): { readonly [key: string]: unknown } {
  const inner = isRecord(schema) ? schema["properties"] : null;
  return isRecord(inner) ? inner : {};
}

/** Whether a field is there and how it is called does not depend on what its template yields. */
const structural: ReadonlySet<string> = new Set(["required", "additionalProperties"]);

function dependsOnTemplate({ instancePath, keyword, schemaPath }: ErrorObject, given: unknown): boolean {
  if (!holdsTemplate(readPath(given, pointerParts(instancePath)))) return false;
  return !structural.has(keyword) || /\/(?:anyOf|oneOf|allOf|if|then|else|not)\b/.test(schemaPath);
}

function holdsTemplate(value: unknown): boolean {
  if (typeof value === "string") return value.includes("{{");
  if (Array.isArray(value)) return value.some(holdsTemplate);
  return isRecord(value) && Object.values(value).some(holdsTemplate);
}

function validatorsOf(operation: Schemed): Validators {
  const known = compiled.get(operation);
  if (known) return known;
  const schema = operation.inputSchema;
  const validators = {
    strict: strict.compile(schema),
    coercing: coercing.compile(schema),
    guarded: guardCheck(schema),
  };
  // ajv keeps what it compiled for good; here it lives as long as the operation.
  strict.removeSchema(schema);
  coercing.removeSchema(schema);
  compiled.set(operation, validators);
  return validators;
}

function describe({
  instancePath,
  keyword,
  params,
  parentSchema,
  message = "is not valid",
}: ErrorObject): InputProblem {
  const own = pointerParts(instancePath);
  const at = (parts: readonly string[], place = parts) => ({ field: parts.join("."), pointer: toPointer(place) });
  const missing = textOf(params["missingProperty"]);
  // What is missing has no place of its own.
  if (missing !== null) return { ...at([...own, missing], own), message: "is required" };
  const unknown = textOf(params["additionalProperty"]);
  if (unknown !== null)
    return { ...at([...own, unknown]), message: `is no field${nearestField(unknown, parentSchema)}` };
  const allowed: unknown = params["allowedValues"];
  if (keyword !== "enum" || !Array.isArray(allowed)) return { ...at(own), message };
  return { ...at(own), message: `must be one of ${allowed.map((value) => JSON.stringify(value)).join(", ")}` };
}

function nearestField(name: string, schema: ErrorObject["parentSchema"]): string {
  const properties: unknown = schema?.["properties"];
  return isRecord(properties) ? didYouMean(name, Object.keys(properties)) : "";
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
