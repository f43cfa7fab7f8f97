import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { findStaticProblems } from "../calls/operation-input.ts";
import { errorAt } from "../definition/issue.ts";
import { findEventSource, paramsOf } from "../events/event-source.ts";
import { checkConnection, type ReachParts } from "./check-reaches.ts";
import { isBeyondAnalysis } from "./check-size.ts";
import { nodePlace } from "./checked-graph.ts";

/**
 * Checks what a connector's trigger listens to: connector, event and connection have to be there, the event has to come in
 * the way that is asked for, and the params have to fit its schema as far as no template decides about it (contract 13).
 */
export async function checkEvents(definition: WorkflowDefinition, parts: ReachParts): Promise<Issue[]> {
  if (isBeyondAnalysis(definition)) return [];
  const issues: Issue[] = [];
  for (const [index, { id, type, data }] of definition.nodes.entries()) {
    const { kind, connector, event } = data;
    // What is missing is told by the node's own check.
    if (type !== "trigger" || kind !== "connector" || typeof connector !== "string" || typeof event !== "string")
      continue;
    const placeOf = (pointer: string) => nodePlace({ id, index }, `/data${pointer}`);
    const source = await findEventSource(parts, parts.workspaceId, data);
    if ("problem" in source) {
      issues.push(errorAt(placeOf(source.pointer), source.code, source.problem));
      continue;
    }
    const { connectionId } = source;
    issues.push(
      ...checkConnection(source.connector, { connectionId, connectionPointer: "/connectionId" }, parts, placeOf),
      ...findStaticProblems(paramsOf(source.trigger), source.params).map(({ field, message, pointer }) =>
        errorAt(placeOf(`/params${pointer}`), "invalid_input", `${field || "params"} ${message}`),
      ),
    );
  }
  return issues;
}
