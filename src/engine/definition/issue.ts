import type { Issue } from "../../contract/workflow.ts";

/** Where an issue is: a JSON pointer into the definition, and the node or edge that it lies in. */
export type IssuePlace = { path: string; node_id?: string; edge_id?: string };

/** An error; the text's line and column are added by whoever holds the text. */
export function errorAt(place: IssuePlace, code: string, message: string): Issue {
  return { severity: "error", code, message, ...place, line: null, column: null };
}

/** Like `errorAt`, for what works but was hardly meant. */
export function warningAt(place: IssuePlace, code: string, message: string): Issue {
  return { ...errorAt(place, code, message), severity: "warning" };
}
