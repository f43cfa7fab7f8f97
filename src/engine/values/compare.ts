import { deepEqual, parseJson, toText } from "./json.ts";
import { readInstant } from "./read-instant.ts";
import { readNumber } from "./read-number.ts";

/** `reason` says which operand had the wrong type, when that is why it did not match. */
export type Verdict = { matched: boolean; reason?: string };
export type Operands = { left: unknown; right: unknown; caseSensitive: boolean };

/** Compares both sides as texts: null and missing are the empty text, everything else that is no text is its JSON. */
export function compareTexts(
  { left, right, caseSensitive }: Operands,
  test: (a: string, b: string) => boolean,
): Verdict {
  const [a, b] = [toText(left), toText(right)];
  return { matched: caseSensitive ? test(a, b) : test(foldCase(a), foldCase(b)) };
}

/** Compares both sides as numbers; numeric texts are numbers. */
export function compareNumbers({ left, right }: Operands, test: (a: number, b: number) => boolean): Verdict {
  return compare(readNumber(left), readNumber(right), test, "number");
}

/** Compares both sides as times in epoch ms. */
export function compareDates({ left, right }: Operands, test: (a: number, b: number) => boolean): Verdict {
  return compare(readInstant(left), readInstant(right), test, "date (ISO-8601 or epoch ms)");
}

/** Tests the list on the left, or the one that a JSON text there holds. */
export function testList({ left }: Operands, test: (list: readonly unknown[]) => boolean): Verdict {
  const list = toList(left);
  return list ? { matched: test(list) } : { matched: false, reason: "left is no list" };
}

/** Deep JSON equality with any item; texts at any depth are folded unless `caseSensitive`. */
export function isListed(list: readonly unknown[], { right, caseSensitive }: Operands): boolean {
  return list.some((item) => deepEqual(item, right, caseSensitive ? Object.is : isSameFolded));
}

/** True and false are a boolean or the very word; nothing else is. */
export function testBoolean({ left }: Operands, wanted: boolean): Verdict {
  if (left === wanted || left === String(wanted)) return { matched: true };
  if (left === !wanted || left === String(!wanted)) return { matched: false };
  return { matched: false, reason: "left is no boolean" };
}

/** Missing, null and the empty text do not exist. */
export function exists(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function compare(
  left: number | undefined,
  right: number | undefined,
  test: (a: number, b: number) => boolean,
  kind: string,
): Verdict {
  if (left === undefined) return { matched: false, reason: `left is no ${kind}` };
  if (right === undefined) return { matched: false, reason: `right is no ${kind}` };
  return { matched: test(left, right) };
}

function toList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const parsed = typeof value === "string" ? parseJson(value) : undefined;
  return Array.isArray(parsed) ? parsed : undefined;
}

/**
 * Lower case on both sides. A letter may change its length (İ becomes i and a dot), so the sides are folded whole and never
 * by position; ß and SS stay different. Sigma is lowered by its place in the word, which would part a prefix from its word.
 */
function foldCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

/** Texts of very different lengths are told apart unfolded, so that one long text against many short ones stays linear. */
function isSameFolded(a: string, b: string): boolean {
  if (a === b) return true;
  return a.length <= 3 * b.length && b.length <= 3 * a.length && foldCase(a) === foldCase(b);
}
