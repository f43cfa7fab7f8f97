import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { checkDefinition } from "../checks/check-definition.ts";
import { checkSchedule } from "../checks/check-schedule.ts";
import { checkNamedValues } from "../checks/check-named-values.ts";
import { checkReaches } from "../checks/check-reaches.ts";
import { checkScripts } from "../checks/check-scripts.ts";
import { checkEvents } from "../checks/check-events.ts";
import type { Services } from "../services.ts";

/** Everything that publishing checks about a definition: by itself, its scripts, and what it names of its workspace (contract 2). */
export async function reviewDefinition(
  services: Pick<Services, "catalogue" | "scripts" | "values" | "limits" | "connectors" | "connections">,
  workspaceId: number,
  definition: WorkflowDefinition,
): Promise<Issue[]> {
  const { catalogue, scripts, values, limits, connectors, connections } = services;
  const { variables, secrets } = values.of(workspaceId);
  return [
    ...checkDefinition(definition, catalogue),
    ...checkSchedule(definition, limits),
    ...(await checkScripts(definition, catalogue, scripts)),
    ...(await checkEvents(definition, { connectors, connections, workspaceId })),
    ...(await checkReaches(definition, catalogue, { connectors, connections, workspaceId })),
    ...checkNamedValues(definition, catalogue, { variables: [...variables.keys()], secrets: [...secrets.keys()] }),
  ];
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
