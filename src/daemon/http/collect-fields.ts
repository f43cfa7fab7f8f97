import { ApiError } from "../../contract/errors.ts";
import { setOwn } from "../../engine/values/json.ts";
import type { Operation } from "../operation.ts";

/**
 * Brings the parts of a request together as an operation's fields. An empty query value is no value (contract 6). A
 * field in the wrong place and one given twice are BAD_REQUEST; unknown ones pass, for the operation to refuse.
 */
export function collectFields(
  operation: Operation,
  path: Readonly<Record<string, string>>,
  query: URLSearchParams | null,
  body: Readonly<Record<string, unknown>>,
  headers: Pick<Headers, "get"> | null = null,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, header] of operation.headers) {
    const text = headers?.get(header) ?? null;
    if (text !== null) fields[name] = text;
  }
  for (const [name, value] of Object.entries(body)) {
    requirePlace(operation, name, "body");
    setOwn(fields, name, value);
  }
  for (const [name, text] of query ?? []) {
    requirePlace(operation, name, "query");
    if (text === "") continue;
    if (Object.hasOwn(fields, name)) throw misplaced(name, "is given twice");
    setOwn(fields, name, readText(operation.typed.get(name), text));
  }
  return Object.assign(fields, path);
}

function requirePlace(operation: Operation, name: string, place: "query" | "body"): void {
  const own = operation.places.get(name);
  if (own !== undefined && own !== place) throw misplaced(name, `belongs in the ${own}, not in the ${place}`);
}

function misplaced(name: string, problem: string): ApiError {
  const message = `${name} ${problem}`;
  return new ApiError("BAD_REQUEST", message, { details: [{ field: name, message }] });
}

/** A text that does not read as the field's type stays text, for the schema to refuse. */
export function readText(type: "number" | "boolean" | undefined, text: string): unknown {
  if (type === "number" && /^-?\d+$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
