import type { Path } from "../values/json.ts";
import { scanPath, unexpected, type PathError } from "./path.ts";

/** One `{{path}}` of a template; `path` is what follows the root, `offset` where `text` starts in the source. */
export type Reference = { root: string; path: Path; text: string; offset: number };
export type TemplateProblem = { message: string; offset: number };
export type TemplatePart = string | Reference;

const rootName = /^[a-zA-Z_][\w-]*$/;

/**
 * Takes a template apart into plain texts and references, in linear time (contract 3). Four braces are a literal `{{`,
 * read from the left: `{{{{{{a}}` is `{{` and the value of `a`. After a problem the scan goes on behind the next `}}`.
 */
export function scanTemplate(source: string): { parts: TemplatePart[]; problems: TemplateProblem[] } {
  const parts: TemplatePart[] = [];
  const problems: TemplateProblem[] = [];
  let text = "";
  let at = 0;
  for (let open = source.indexOf("{{"); open >= 0; open = source.indexOf("{{", at)) {
    const braces = countBraces(source, open);
    const literals = Math.floor(braces / 4);
    text += source.slice(at, open) + "{{".repeat(literals);
    at = open + 4 * literals;
    const left = braces % 4;
    if (left < 2) continue;
    const found = left === 2 ? scanReference(source, at) : threeBraces(at);
    if ("message" in found) {
      problems.push(found);
      at = skipBroken(source, Math.max(found.offset, at + left));
    } else {
      if (text) parts.push(text);
      parts.push(found.reference);
      text = "";
      at = found.end;
    }
  }
  text += source.slice(at);
  if (text) parts.push(text);
  return { parts, problems };
}

function countBraces(source: string, from: number): number {
  let end = from;
  while (source[end] === "{") end++;
  return end - from;
}

function threeBraces(offset: number): TemplateProblem {
  return { message: "three braces: write {{path}} for a value or {{{{ for the text {{", offset };
}

function skipBroken(source: string, from: number): number {
  const close = source.indexOf("}}", from);
  return close < 0 ? source.length : close + 2;
}

/** Reads the reference whose braces open at `open`. */
function scanReference(source: string, open: number): { reference: Reference; end: number } | TemplateProblem {
  const inside = open + 2;
  const scanned = scanPath(source, inside);
  if ("message" in scanned) return explain(source, open, scanned);
  if (!source.startsWith("}}", scanned.end)) return explain(source, open, unexpected(source, scanned.end));
  const raw = source.slice(inside, scanned.end);
  const text = raw.trim();
  const offset = inside + raw.indexOf(text);
  const [root, ...path] = scanned.path;
  if (typeof root !== "string" || text.startsWith("[") || !rootName.test(root))
    return {
      message: `a template starts with the id of a node or another root, not with ${text.slice(0, 40)}`,
      offset,
    };
  return { reference: { root, path, text, offset }, end: scanned.end + 2 };
}

/** Words a path error for a template: nothing inside, nothing that closes it, or a character that no path has. */
function explain(source: string, open: number, error: PathError): TemplateProblem {
  const close = source.indexOf("}}", error.offset);
  if (close < 0 || source.slice(error.offset, close).includes("{{"))
    return { message: "{{ is never closed: write {{path}}, or {{{{ for the text {{", offset: open };
  if (source.slice(open + 2, close).trim() === "")
    return { message: "the template is empty: write a path such as {{order.total}}", offset: open };
  return error;
}
