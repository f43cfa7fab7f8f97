import { existsSync, readFileSync } from "node:fs";
import { type Document, LineCounter, parseDocument } from "yaml";
import { ApiError } from "../../contract/errors.ts";
import { isRecord } from "../../engine/values/json.ts";

/** The mapping that a YAML file holds; empty where there is no file. Throws BAD_REQUEST with the place of a mistake. */
export function readMapping(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  return parseMapping(path, readFileSync(path, "utf8"));
}

/** Like `readMapping`, of a text that stands for the file. */
export function parseMapping(path: string, text: string): Record<string, unknown> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = document.errors;
  if (problem) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new ApiError("BAD_REQUEST", `${path}:${line}:${col} is no YAML: ${problem.message}`);
  }
  const value = toValue(path, document);
  if (value === null || value === undefined) return {};
  if (!isRecord(value)) throw new ApiError("BAD_REQUEST", `${path} must hold a mapping of settings`);
  return value;
}

/** Aliases that multiply without end are refused by the parser. */
function toValue(path: string, document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ApiError(
      "BAD_REQUEST",
      `${path} can't be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** `{limits: {runsPerHour: 5}}` as `limits.runsPerHour` → 5. A list is one value. */
export function flatten(group: Record<string, unknown>, prefix = ""): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [key, value] of Object.entries(group)) {
    const name = `${prefix}${key}`;
    if (isRecord(value)) for (const [inner, each] of flatten(value, `${name}.`)) values.set(inner, each);
    else values.set(name, value);
  }
  return values;
}
