import type { Json } from "../../contract/json.ts";
import type { Paint } from "../colour.ts";
import { safeJson } from "../safe-text.ts";
import { showDiff } from "../show-diff.ts";

/** What was expected (-) and what was received (+), a line of JSON each. */
export function showDifference(expected: unknown, received: unknown, paint: Paint): string[] {
  // Members in one order: another order is no difference.
  return showDiff(linesOf(expected), linesOf(received), paint, 3);
}

function linesOf(value: unknown): string[] {
  return safeJson(inOrder(value as Json), 2).split("\n");
}

function inOrder(value: Json | undefined): Json {
  if (value === undefined || value === null || typeof value !== "object") return value ?? null;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, inOrder(member)]));
}
