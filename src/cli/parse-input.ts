import type { Json } from "../contract/json.ts";

export type JsonObject = { [key: string]: Json };

/** `k=v` pairs of `-i`. Throws on a pair without `=` and on a name given twice. */
export function parsePairs(pairs: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) throw new Error(`"${pair}" must be name=value`);
    const name = pair.slice(0, at);
    if (fields.has(name)) throw new Error(`"${name}" is given twice`);
    fields.set(name, pair.slice(at + 1));
  }
  return fields;
}

/** The JSON object of `--input`. Throws on malformed JSON and on any other value. */
export function parseInputObject(text: string): JsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw new Error("must be a JSON object");
  return value;
}

function parseJson(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (error) {
    throw new Error(`is not valid JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/**
 * Gives each text the type that the action's input schema names for it. A text that doesn't fit its type stays text:
 * the daemon refuses it in the words it has for every caller.
 */
export function coerceFields(fields: ReadonlyMap<string, string>, inputSchema: JsonObject): JsonObject {
  const properties = inputSchema["properties"];
  const entries = [...fields].map(([name, text]) => [name, coerce(text, declaredType(properties, name))] as const);
  return Object.fromEntries(entries);
}

function declaredType(properties: Json | undefined, name: string): Json | undefined {
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  const property = properties[name];
  return isObject(property) ? property["type"] : undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function coerce(text: string, type: Json | undefined): Json {
  if (type === "number" || type === "integer") return isNumber(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" || text === "false" ? text === "true" : text;
  if (type === "object" || type === "array") return readJson(text);
  return text;
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

function readJson(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
