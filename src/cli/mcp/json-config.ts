import { type FormattingOptions, type ParseError, applyEdits, modify, parse, printParseErrorCode } from "jsonc-parser";
import type { Json } from "../../contract/json.ts";
import { type JsonObject, isObject } from "../parse-input.ts";
import type { ClientConfig } from "./clients.ts";

/**
 * A JSON text, which may have comments, with our server set and inputs added that it lacks. Comments and layout stay.
 * Throws with the place where it is no JSON, or no object.
 */
export function editJson(text: string, { root, server, inputs = [] }: ClientConfig): string {
  const before = text.trim() === "" ? "{}\n" : text;
  const parsed = parseJsonc(before);
  const known = readInputs(parsed);
  const added = inputs.filter(({ id }) => !known.some((input) => isObject(input) && input["id"] === id));
  const withInputs = added.length === 0 ? before : set(before, ["inputs"], [...known, ...added]);
  return isSame(parsed[root], server) ? withInputs : set(withInputs, [root, "stepgate"], server);
}

/** The text without our server; comments and layout stay, and so do inputs, which others may use. */
export function removeJson(text: string, root: string): string {
  if (text.trim() === "") return text;
  const servers = parseJsonc(text)[root];
  if (!isObject(servers) || !Object.hasOwn(servers, "stepgate")) return text;
  return set(text, [root, "stepgate"], undefined);
}

function isSame(servers: Json | undefined, server: JsonObject): boolean {
  return isObject(servers) && JSON.stringify(servers["stepgate"]) === JSON.stringify(server);
}

function parseJsonc(text: string): JsonObject {
  const errors: ParseError[] = [];
  const value: Json = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split("\n").length;
    throw new Error(`is no JSON: ${printParseErrorCode(first.error)} in line ${line}`);
  }
  if (!isObject(value)) throw new Error("is no JSON object");
  return value;
}

function readInputs({ inputs }: JsonObject): Json[] {
  return Array.isArray(inputs) ? inputs : [];
}

function set(text: string, path: string[], value: Json | undefined): string {
  const formattingOptions: FormattingOptions = {
    insertSpaces: !/^\t/m.test(text),
    tabSize: /^( +)\S/m.exec(text)?.[1]?.length ?? 2,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  // In front, for then what was there before us keeps its layout.
  return applyEdits(text, modify(text, path, value, { formattingOptions, getInsertionIndex: () => 0 }));
}
