/** One line of a payload as it is shown; `path` names the value that it begins or holds. */
export type JsonLine = { path: string; depth: number; text: string; isFolded: boolean; canFold: boolean };

/** Lines that one payload may take before the rest is only counted: a terminal is no place for more. */
const maxLines = 5000;

/** Nested values with more entries are folded at first. */
const openEntries = 12;

type Folds = ReadonlyMap<string, boolean>;

/** A JSON value as lines. `folds` says of paths whether a person folded or unfolded them. */
export function jsonLines(value: unknown, folds: Folds): JsonLine[] {
  const lines: JsonLine[] = [];
  write(lines, { value, path: "$", depth: 0, before: "", after: "" }, folds);
  return lines;
}

type Place = { value: unknown; path: string; depth: number; before: string; after: string };

function write(lines: JsonLine[], place: Place, folds: Folds): void {
  if (lines.length >= maxLines) return;
  const { value, path, depth, before, after } = place;
  if (lines.length === maxLines - 1) {
    lines.push({ path: "$rest", depth, text: "the rest is left out; p shows all", isFolded: false, canFold: false });
    return;
  }
  if (typeof value !== "object" || value === null || entriesOf(value).length === 0) {
    const text = before + (JSON.stringify(value) ?? "null") + after;
    lines.push({ path, depth, text, isFolded: false, canFold: false });
    return;
  }
  const entries = entriesOf(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const isFolded = folds.get(path) ?? (depth > 0 && entries.length > openEntries);
  if (isFolded) {
    const text = `${before}${open} … ${entries.length} ${Array.isArray(value) ? "items" : "keys"} ${close}${after}`;
    lines.push({ path, depth, text, isFolded, canFold: true });
    return;
  }
  lines.push({ path, depth, text: before + open, isFolded, canFold: true });
  for (const [index, [key, entry]] of entries.entries()) {
    const comma = index === entries.length - 1 ? "" : ",";
    const name = Array.isArray(value) ? "" : `${JSON.stringify(key)}: `;
    write(lines, { value: entry, path: `${path}/${key}`, depth: depth + 1, before: name, after: comma }, folds);
  }
  if (lines.length < maxLines)
    lines.push({ path: `${path}/`, depth, text: `${close}${after}`, isFolded: false, canFold: false });
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value);
}
