import type { FoldEvent } from "../../src/engine/graph/fold.ts";
import type { Graph, GraphEdge, GraphNode, GraphScope } from "../../src/engine/graph/graph.ts";

/**
 * What can run next, is skipped or is complete, worked out from the whole journal by the plain rules of contract 5: no
 * counters, no state kept from event to event. Slow on purpose; the incremental fold has to agree with it.
 * Failures that end a loop or the run are left out.
 */
export function recompute(graph: Graph, events: readonly FoldEvent[]): string[] {
  const last = new Map(events.map((event) => [key(event.stepId, event.iteration ?? []), event]));
  const started = new Map(
    events
      .filter((event) => event.type === "step_started")
      .map((event) => [key(event.stepId, event.iteration ?? []), event]),
  );
  const [root] = graph.scopes;
  return root ? scopeDecisions(root, []).toSorted() : [];

  function scopeDecisions(scope: GraphScope, iteration: readonly number[]): string[] {
    return scope.nodes.flatMap((node) => nodeDecisions(scope, node, iteration));
  }

  function nodeDecisions(scope: GraphScope, node: GraphNode, iteration: readonly number[]): string[] {
    if (!node.type.isStep || isSettled(node, iteration)) return [];
    const name = key(node.id, iteration);
    if (started.has(name)) return node.body ? loopDecisions(node, node.body, iteration) : [];
    const inbound = node.inbound.filter((edge) => edge.source !== scope.loop);
    if (!inbound.every((edge) => isSettled(edge.source, iteration))) return [];
    const live = inbound.length < node.inbound.length || inbound.some((edge) => isLive(edge, iteration));
    return [`${live ? "start" : "skip"} ${name}`];
  }

  function loopDecisions(node: GraphNode, body: GraphScope, iteration: readonly number[]): string[] {
    const items = started.get(key(node.id, iteration))?.inputData;
    const list = typeof items === "object" && items !== null && !Array.isArray(items) ? items["items"] : null;
    if (!Array.isArray(list)) return [];
    const current = list.findIndex((_, index) => body.nodes.some((inner) => !isSettled(inner, [...iteration, index])));
    if (current < 0) return [`complete ${key(node.id, iteration)}`];
    return scopeDecisions(body, [...iteration, current]);
  }

  function isSettled(node: GraphNode, iteration: readonly number[]): boolean {
    if (!node.type.isStep) return true;
    const type = last.get(key(node.id, iteration))?.type;
    return type === "step_completed" || type === "step_skipped" || type === "step_failed_continued";
  }

  function isLive(edge: GraphEdge, iteration: readonly number[]): boolean {
    if (!edge.source.type.isStep) return true;
    const event = last.get(key(edge.source.id, iteration));
    if (event?.type === "step_failed_continued") {
      return edge.source.bound.live({ error: { code: "", message: "" } }).includes(edge.sourceHandle);
    }
    return (
      event?.type === "step_completed" && edge.source.bound.live(event.outputData ?? null).includes(edge.sourceHandle)
    );
  }
}

export function key(stepId: string, iteration: readonly number[]): string {
  return `${stepId}[${iteration.join(",")}]`;
}
