import { diff } from "node:util";
import type { Json } from "../../contract/json.ts";
import type { Paint } from "../colour.ts";
import { safeJson } from "../safe-text.ts";

/** How many lines stand around a difference. */
const around = 3;

/** What was expected (-) and what was received (+), a line of JSON each; long stretches that agree are cut. */
export function showDifference(expected: unknown, received: unknown, paint: Paint): string[] {
  // Members in one order: another order is no difference.
  const lines = diff(linesOf(received), linesOf(expected)).map(([kind, text]) => ({ kind, text }));
  const isNear = (at: number) => lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== 0);
  const shown: string[] = [];
  for (const [at, { kind, text }] of lines.entries()) {
    if (!isNear(at)) {
      if (shown.at(-1) !== paint("dim", "  …")) shown.push(paint("dim", "  …"));
    } else if (kind === 0) shown.push(`  ${text}`);
    else shown.push(kind < 0 ? paint("red", `- ${text}`) : paint("green", `+ ${text}`));
  }
  return shown;
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
