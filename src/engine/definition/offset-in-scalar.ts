import type { TextPosition } from "./text-position.ts";

/**
 * Offset in a YAML or JSON file of a place within a text value, whose own offset is `at`: inside a block (`|`), a quoted
 * text with escapes, or a plain text of one line. Where the file has no such place, the value's own offset.
 */
export function offsetInScalar(file: string, at: number, place: TextPosition): number {
  const sign = file[at];
  if (sign === "|") return offsetInBlock(file, at, place);
  if (sign === '"') return offsetInQuotes(file, at, place);
  if (sign === ">" || place.line > 1) return at;
  return at + (sign === "'" ? 1 : 0) + place.column - 1;
}

function offsetInBlock(file: string, at: number, { line, column }: TextPosition): number {
  const [header = "", ...lines] = file.slice(at).split("\n");
  const first = lines.find((text) => text.trim() !== "") ?? "";
  const indent = /^ */.exec(first)?.[0].length ?? 0;
  const start = [header, ...lines.slice(0, line - 1)].reduce((offset, text) => offset + text.length + 1, at);
  // An empty line has no indentation.
  return start + Math.min(indent + column - 1, lines[line - 1]?.length ?? 0);
}

/** Lengths of the escapes that are longer than two characters. */
const longEscapes: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

function offsetInQuotes(file: string, at: number, place: TextPosition): number {
  let line = 1;
  let column = 1;
  for (let offset = at + 1; offset < file.length;) {
    if (line === place.line && column >= place.column) return offset;
    const character = file[offset];
    if (character === '"' || character === "\n") return at;
    const escape = character === "\\" ? (file[offset + 1] ?? "") : "";
    offset += escape === "" ? 1 : (longEscapes[escape] ?? 2);
    if (escape === "n") line += 1;
    column = escape === "n" ? 1 : column + 1;
  }
  return at;
}
