export type PathError = { message: string; offset: number };
type Segment = { key: string | number; end: number };

/** Letters of any script, digits, `_`, `-` and `$`; every other key is written in brackets and quotes. */
const name = /[\p{L}\p{M}\p{N}_$-]+/uy;
const digits = /\d+/y;
const index = /^(?:0|[1-9]\d*)$/;
const space = /\s*/y;
const escapes = new Map(Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }));

/**
 * Parses a plain path: `a.b`, `a[0].b`, `a.0.b`, `a["odd key"]` (contract 3). Digits make a number, quotes a text.
 * White space around names and brackets is free. Errors carry the offset of the first wrong character.
 */
export function parsePath(text: string): (string | number)[] | PathError {
  const scanned = scanPath(text, 0);
  if ("message" in scanned) return scanned;
  if (scanned.end < text.length) return unexpected(text, scanned.end);
  return scanned.path;
}

/** Reads a path from `start` as far as it goes; `end` is the first character that is no part of it. */
export function scanPath(text: string, start: number): { path: (string | number)[]; end: number } | PathError {
  const path: (string | number)[] = [];
  let end = skipSpace(text, start);
  do {
    const segment = text[end] === "[" ? scanBracket(text, end) : scanName(text, path.length === 0 ? end : end + 1);
    if ("message" in segment) return segment;
    path.push(segment.key);
    end = skipSpace(text, segment.end);
  } while (text[end] === "." || text[end] === "[");
  return { path, end };
}

/** Says which character stands where no part of a path can. */
export function unexpected(text: string, offset: number): PathError {
  const found = text.codePointAt(offset);
  if (found === undefined) return { message: "the path ends too early", offset };
  const shown = JSON.stringify(String.fromCodePoint(found));
  return { message: `unexpected ${shown}: write a plain path such as order.items[0].name or a["odd key"]`, offset };
}

function scanName(text: string, from: number): Segment | PathError {
  const start = skipSpace(text, from);
  const found = match(name, text, start);
  return found ? { key: toKey(found), end: start + found.length } : unexpected(text, start);
}

function scanBracket(text: string, open: number): Segment | PathError {
  const start = skipSpace(text, open + 1);
  const quote = text[start];
  const segment = quote === '"' || quote === "'" ? scanQuoted(text, start, quote) : scanIndex(text, start);
  if ("message" in segment) return segment;
  const close = skipSpace(text, segment.end);
  return text[close] === "]" ? { key: segment.key, end: close + 1 } : unexpected(text, close);
}

function scanIndex(text: string, start: number): Segment | PathError {
  const found = match(digits, text, start);
  if (!found) return unexpected(text, start);
  if (!index.test(found)) return { message: `the index ${found.slice(0, 20)} starts with a zero`, offset: start };
  return { key: toKey(found), end: start + found.length };
}

function scanQuoted(text: string, start: number, quote: string): Segment | PathError {
  let key = "";
  let at = start + 1;
  while (at < text.length && text[at] !== quote) {
    const unescaped = text[at] === "\\" ? scanEscape(text, at) : { key: text.charAt(at), end: at + 1 };
    if ("message" in unescaped) return unescaped;
    key += unescaped.key;
    at = unescaped.end;
  }
  return at < text.length ? { key, end: at + 1 } : { message: `the quote ${quote} is never closed`, offset: start };
}

/** JSON's escapes, and `\'` for keys in single quotes. */
function scanEscape(text: string, at: number): Segment | PathError {
  const letter = text.charAt(at + 1);
  const code = letter === "u" ? match(/[\da-f]{4}/iy, text, at + 2) : "";
  if (code) return { key: String.fromCharCode(Number.parseInt(code, 16)), end: at + 6 };
  const plain = /["'\\/]/.test(letter) ? letter : escapes.get(letter);
  if (plain === undefined) return { message: `unknown escape \\${letter}`, offset: at };
  return { key: plain, end: at + 2 };
}

/** A whole number that a number holds exactly is an index; any other name stays a text. */
function toKey(text: string): string | number {
  return index.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

function skipSpace(text: string, at: number): number {
  return at + match(space, text, at).length;
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
