import type { Json } from "../../contract/json.ts";
import type { GraphEdge } from "./graph.ts";
import type { StepState } from "./scope-state.ts";

/** Output of the source of the first live inbound edge in the definition's order; null when none has one (contract 2). */
export function firstUpstream(step: StepState): Json {
  const edge = step.node.inbound.find((inbound) => isLive(step, inbound));
  return edge ? sourceOutput(step, edge) : null;
}

/** Upstream outputs by target handle, null for a skipped edge: what Merge waits for. */
export function inputsByHandle(step: StepState): ReadonlyMap<string, Json> {
  return new Map(
    step.node.inbound.map((edge) => [edge.targetHandle, isLive(step, edge) ? sourceOutput(step, edge) : null]),
  );
}

function isLive(step: StepState, edge: GraphEdge): boolean {
  if (entersBody(step, edge)) return true;
  return step.scope.steps[edge.source.place]?.live.includes(edge.sourceHandle) ?? false;
}

/** The first nodes of a loop's body have its current item upstream. */
function sourceOutput(step: StepState, edge: GraphEdge): Json {
  if (entersBody(step, edge)) return step.scope.entered?.item ?? null;
  return step.scope.steps[edge.source.place]?.output ?? null;
}

function entersBody(step: StepState, edge: GraphEdge): boolean {
  return edge.source === step.scope.graph.loop;
}
