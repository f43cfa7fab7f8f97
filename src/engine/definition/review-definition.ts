import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { checkDefinition } from "../checks/check-definition.ts";
import { checkScripts } from "../checks/check-scripts.ts";
import type { Services } from "../services.ts";

/** Everything that publishing checks about a definition by itself, its scripts included (contract 2). */
export async function reviewDefinition(
  { catalogue, scripts }: Pick<Services, "catalogue" | "scripts">,
  definition: WorkflowDefinition,
): Promise<Issue[]> {
  return [...checkDefinition(definition, catalogue), ...(await checkScripts(definition, catalogue, scripts))];
}

/** Whether an issue stands in the way; warnings do not. */
export function isRefused(issues: readonly Issue[]): boolean {
  return issues.some((issue) => issue.severity === "error");
}

/** The messages of issues in one line, each with its node or edge; a long list is cut, since the issues come along. */
export function summarizeIssues(issues: readonly Issue[]): string {
  const shown = issues.slice(0, 3).map(({ message, node_id: node, edge_id: edge, path }) => {
    const place = node ?? edge ?? path;
    return place === "" ? message : `${place}: ${message}`;
  });
  const rest = issues.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}
