import type { Json } from "../../contract/json.ts";
import { CallError } from "../../engine/calls/call-error.ts";
import { parseJson } from "../../engine/values/json.ts";

/** An answer's body as JSON can hold it; `encoding` is there where it had to be encoded. */
export type ReadBody = { body: Json; encoding?: "base64" };

/**
 * Reads a body by its content type: JSON as its value, other texts as text, everything else as base64. No body is null.
 * Throws a CallError when the connection breaks, and with UNKNOWN when what calls itself JSON is none.
 */
export async function readBody(response: Response): Promise<ReadBody> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) return { body: null };
  const [type = "", ...parameters] = (response.headers.get("content-type") ?? "").toLowerCase().split(";");
  const kind = kindOf(type.trim());
  if (kind === "binary") return { body: bytes.toBase64(), encoding: "base64" };
  const text = decode(bytes, parameters);
  if (kind === "text") return text === null ? { body: bytes.toBase64(), encoding: "base64" } : { body: text };
  const value = text === null ? undefined : parseJson(text);
  if (value !== undefined) return { body: value };
  const message = `The answer says that it is ${type.trim()} and can't be read as JSON`;
  throw new CallError({ code: "UNKNOWN", message, details: { status: response.status } });
}

const textTypes =
  /^(?:text\/.*|.*[+/]xml|application\/(?:x-www-form-urlencoded|javascript|yaml|x-yaml|graphql|x-ndjson|jsonl))$/;

function kindOf(type: string): "json" | "text" | "binary" {
  if (type === "application/json" || type === "text/json" || type.endsWith("+json")) return "json";
  // Without a type it is a text if it can be one.
  return type === "" || textTypes.test(type) ? "text" : "binary";
}

/** Null when the bytes are no text of their charset. */
function decode(bytes: Uint8Array, parameters: readonly string[]): string | null {
  const charset = parameters.map((part) => /^\s*charset="?([\w.:-]+)"?\s*$/.exec(part)?.[1]).find(Boolean) ?? "utf-8";
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
