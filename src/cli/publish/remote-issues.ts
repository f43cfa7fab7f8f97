import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import type { CliError } from "../cli-error.ts";
import type { ReadWorkflow } from "../wiring.ts";

export function newIssue(code: string, message: string, path = ""): Issue {
  return { severity: "error", code, message, path, line: null, column: null };
}

/** Gives every issue without a place the one in the file. */
export function locateIssues({ locate }: ReadWorkflow, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => (issue.line === null ? { ...issue, ...locate(issue.path) } : issue));
}

/** The problems that a tool's error tells of: each of its details, else its message. */
export function issuesOf(
  { message, extra: { code = "", details = [] } }: CliError,
  definition: WorkflowDefinition,
): Issue[] {
  const found = details.flatMap((detail) => readDetail(detail, code, definition));
  return found.length > 0 ? found : [newIssue(code.toLowerCase(), message)];
}

function readDetail(detail: unknown, code: string, definition: WorkflowDefinition): Issue[] {
  if (typeof detail !== "object" || detail === null) return [];
  const text = (key: string): string | null => {
    const value: unknown = Object.hasOwn(detail, key) ? Reflect.get(detail, key) : null;
    return typeof value === "string" ? value : null;
  };
  const message = text("message");
  if (message === null) return [];
  const own = text("code") ?? code.toLowerCase();
  const field = text("field");
  // A field of the action's input is none of the definition's.
  const path = own === "breaking_change" ? inputPath(definition) : field === null ? "" : `/${field}`;
  return [
    {
      ...newIssue(own, message, text("path") ?? path),
      severity: text("severity") === "warning" ? "warning" : "error",
    },
  ];
}

/** Where a definition says what its action takes. */
function inputPath({ nodes }: WorkflowDefinition): string {
  const index = nodes.findIndex(({ type }) => type === "action_input");
  return index === -1 ? "" : `/nodes/${index}/data/properties`;
}
