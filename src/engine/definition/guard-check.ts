import { OverrunError, withinTime } from "../values/within-time.ts";

/** How long a value is checked against a schema that somebody gave, in milliseconds. Honest ones take a few. */
const maxCheckMs = 500;
/** Keywords that can cost time out of proportion to schema and value: expressions, comparisons, references. */
const costly: ReadonlySet<string> = new Set([
  "pattern",
  "patternProperties",
  "uniqueItems",
  "contains",
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "allOf",
  "anyOf",
  "oneOf",
]);
/** Characters of a schema from which a long list takes its time whatever the schema says. */
const largeSchema = 16_384;

/** Runs a check; null where it took too long, or ran in circles, and was ended. */
export type GuardedCheck = <T>(check: () => T) => T | null;

/**
 * How values are checked against this schema. Schemas come from agents and from descriptions of services, and all runs
 * share one thread: no expression such as `^(a+)+$` may hold it up. What can't take long is run as it is.
 */
export function guardCheck(schema: object): GuardedCheck {
  if (!isCostly(schema) && JSON.stringify(schema).length < largeSchema) return (check) => check();
  return (check) => {
    try {
      return withinTime(maxCheckMs, check);
    } catch (error) {
      // References that lead back to themselves overflow the stack.
      if (error instanceof OverrunError || error instanceof RangeError) return null;
      throw error;
    }
  };
}

/** What a caller is told of a value whose check was ended. */
export const uncheckable =
  `can't be checked against its schema, which would take longer than ${maxCheckMs} ms: simplify the schema's patterns ` +
  "and references, or give less";

/** A property that is named like a keyword counts as one, which costs it a little time. */
function isCostly(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  if (Array.isArray(schema)) return schema.some(isCostly);
  return Object.entries(schema).some(([key, value]) => costly.has(key) || isCostly(value));
}
