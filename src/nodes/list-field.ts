import type { Json } from "../contract/json.ts";
import { fail, type StepOutcome } from "../engine/node.ts";

/** True for a list; what a template yields is JSON, so its members are too. */
export function isList(value: unknown): value is Json[] {
  return Array.isArray(value);
}

/** The failure of a node whose `items` resolved to something else than a list (contract 5). */
export function noList(items: unknown): StepOutcome {
  return fail("VALIDATION_ERROR", `items has to be a list, but its template yielded ${describe(items)}`);
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return `${value === null ? "null" : "nothing"}; check its path`;
  if (typeof value === "string") return "a text; a Set with the type json reads a list out of one";
  return typeof value === "object" ? "an object; point it at the list inside" : `a ${typeof value}`;
}
