import type { BuildIssue } from "../../contract/manifest.ts";
import { toPointer } from "../../engine/values/json-pointer.ts";

type Place = readonly PropertyKey[] | string;

/** An error at a path or a JSON pointer; the text's line and column are added by whoever holds the text. */
export function errorAt(place: Place, code: string, message: string): BuildIssue {
  const path = typeof place === "string" ? place : toPointer(place);
  return { severity: "error", code, message, path, line: null, column: null };
}

/** Like `errorAt`, for what works but was hardly meant. */
export function warningAt(place: Place, code: string, message: string): BuildIssue {
  return { ...errorAt(place, code, message), severity: "warning" };
}

/** Whether an issue stands in the way; warnings do not. */
export function hasErrors(issues: readonly BuildIssue[]): boolean {
  return issues.some(({ severity }) => severity === "error");
}
