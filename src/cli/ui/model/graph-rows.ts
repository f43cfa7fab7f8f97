import { drawLanes, type LaneRow } from "../../graph/lanes.ts";
import type { GraphState } from "./model.ts";

/** Lines of the graph that is open: nodes in topological order, and between them where lanes part and meet. */
export function graphLines({ definition }: Pick<GraphState, "definition">, isAiry: boolean): LaneRow[] {
  return definition ? drawLanes(definition.nodes, definition.edges, { isAiry }) : [];
}

/** Ids of its nodes in the order in which they are drawn. */
export function graphIds(graph: Pick<GraphState, "definition">): string[] {
  return graphLines(graph, false).flatMap(({ nodeId }) => (nodeId === null ? [] : [nodeId]));
}
