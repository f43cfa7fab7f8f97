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
  const { value, path, depth, before, after } = place;
  const room = maxLines - lines.length;
  const push = (text: string, more: Partial<JsonLine> = {}) =>
    void lines.push({ path, depth, text, isFolded: false, canFold: false, ...more });
  if (room <= 1) {
    if (room === 1) push("the rest is left out; p shows all", { path: "$rest" });
  } else if (typeof value !== "object" || value === null || entriesOf(value).length === 0) {
    push(before + (JSON.stringify(value) ?? "null") + after);
  } else {
    const count = entriesOf(value).length;
    const [open, close, noun] = Array.isArray(value) ? ["[", "]", "items"] : ["{", "}", "keys"];
    const isFolded = folds.get(path) ?? (depth > 0 && count > openEntries);
    const canFold = true;
    if (isFolded) return push(`${before}${open} … ${count} ${noun} ${close}${after}`, { isFolded, canFold });
    push(before + open, { canFold });
    writeEntries(lines, { ...place, value }, folds);
    if (lines.length < maxLines) push(`${close}${after}`, { path: `${path}/` });
  }
}

function writeEntries(lines: JsonLine[], { value, path, depth }: Place & { value: object }, folds: Folds): void {
  const entries = entriesOf(value);
  for (const [index, [key, entry]] of entries.entries()) {
    const after = index === entries.length - 1 ? "" : ",";
    const before = Array.isArray(value) ? "" : `${JSON.stringify(key)}: `;
    write(lines, { value: entry, path: `${path}/${key}`, depth: depth + 1, before, after }, folds);
  }
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value);
}
