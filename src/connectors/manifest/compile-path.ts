import type { Scope } from "../../engine/templates/template.ts";
import { scanTemplate } from "../../engine/templates/template-scan.ts";
import { toText } from "../../engine/values/json.ts";
import { invalid } from "../invalid-call.ts";

/**
 * Compiles a path. Each value is encoded, so that it stays one segment; one that is missing or empty, or would climb
 * (`..`), is refused with a CallError.
 */
export function compilePath(path: string): (scope: Scope) => string {
  const { parts } = scanTemplate(path);
  return (scope) =>
    parts
      .map((part) => (typeof part === "string" ? part : encode(scope.read(part.root, part.path), part.text)))
      .join("");
}

function encode(value: unknown, name: string): string {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.map((one) => encodeOne(one, name)).join(",");
}

function encodeOne(value: unknown, name: string): string {
  const text = typeof value === "object" ? "" : toText(value);
  if (text === "") throw invalid(`${name} is part of the address and needs a text or a number`);
  // A service behind a proxy may see the slashes again.
  if (text.split(/[/\\]/).some((part) => part === "." || part === "..")) {
    throw invalid(`${name} is part of the address and can't hold . or .. as a segment`);
  }
  try {
    return encodeURIComponent(text);
  } catch {
    throw invalid(`${name} is part of the address and holds half a character`);
  }
}
