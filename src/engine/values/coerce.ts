import { isRecord, parseJson, toJson, toText, type Json } from "./json.ts";
import { readNumber } from "./read-number.ts";

export type Coerced<Value = Json> = { ok: true; value: Value } | { ok: false; message: string };
export type SetType = "string" | "number" | "boolean" | "json";
export type PropertyType = "string" | "number" | "integer" | "boolean" | "object" | "array";

/** Coerces a Set value (spec 2.10, contract 5); json reads a text and passes everything else through. A missing value counts as null; failures name types, never the value. */
export function coerce(value: unknown, type: SetType): Coerced {
  switch (type) {
    case "string":
      return { ok: true, value: toText(value) };
    case "number":
      return toNumber(value);
    case "boolean":
      return { ok: true, value: isTrue(value) };
    case "json":
      return toShape(value, () => true, "JSON");
  }
}

/**
 * Coerces a value of return_output to its declared type, by the rules of Set where they have the type. A list or an object
 * may also be its JSON text. A missing value stays undefined: its key is left out.
 */
export function coerceProperty(value: unknown, type: PropertyType): Coerced<Json | undefined> {
  if (value === undefined) return { ok: true, value };
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return coerce(value, type);
    case "integer":
      return toInteger(value);
    case "object":
      return toShape(value, isRecord, "an object");
    case "array":
      return toShape(value, Array.isArray, "a list");
  }
}

/** Only true and the text `true` are true: not 1, "yes" or "True". */
function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}

function toNumber(value: unknown): Coerced<number> {
  const number = readNumber(value);
  return number === undefined ? refuse(value, "a decimal number") : { ok: true, value: number };
}

/** An integer that a number can't hold exactly is refused: an id would silently become another one. */
function toInteger(value: unknown): Coerced<number> {
  const number = readNumber(value);
  if (number === undefined || !Number.isInteger(number)) return refuse(value, "a whole number");
  if (Number.isSafeInteger(number)) return { ok: true, value: number };
  return { ok: false, message: "the whole number is too large to be exact; make the property a string" };
}

/** A text is read as JSON, everything else is JSON already. */
function toShape(value: unknown, isShape: (read: Json) => boolean, wanted: string): Coerced {
  const read = typeof value === "string" ? parseJson(value) : toJson(value);
  return read !== undefined && isShape(read) ? { ok: true, value: read } : refuse(value, wanted);
}

function refuse(value: unknown, wanted: string): { ok: false; message: string } {
  return { ok: false, message: `${describe(value)} can't be read as ${wanted}` };
}

/** The type alone: a value may be a secret, and part of a secret is not recognised when messages are redacted. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return value === null ? "null" : "a missing value";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return value.trim() === "" ? "an empty text" : "this text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
