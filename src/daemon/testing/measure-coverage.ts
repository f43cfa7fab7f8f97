import type { Step, StepStatus } from "../../contract/run.ts";
import type { Coverage } from "../../contract/workflow-test.ts";
import type { Graph, GraphNode } from "../../engine/graph/graph.ts";

/** What runs of one graph reached; a step that was skipped or never let through its gate counts for nothing. */
export function measureCoverage(graph: Graph, runs: readonly (readonly Step[])[]): Coverage {
  const steps = runs.flat().filter(({ status }) => !unreached.has(status));
  const reached = new Set(steps.map((step) => step.step_id));
  const handles = new Set(steps.flatMap((step) => liveHandles(graph.byId.get(step.step_id), step)));
  for (const { loop, nodes } of graph.scopes)
    if (loop && nodes.some(({ id }) => reached.has(id))) handles.add(`${loop.id}.loop`);
  const isReached = ({ id, type }: GraphNode) => reached.has(id) || (!type.isStep && runs.length > 0);
  const branches = graph.nodes.flatMap((node) =>
    node.bound.sources.length > 1 ? namesOf(node, node.bound.sources) : [],
  );
  return {
    nodes: { total: graph.nodes.length, unreached: graph.nodes.filter((node) => !isReached(node)).map(({ id }) => id) },
    handles: { total: branches.length, unreached: branches.filter((name) => !handles.has(name)) },
  };
}

const unreached: ReadonlySet<StepStatus> = new Set(["skipped", "pending_approval"]);

function liveHandles(node: GraphNode | undefined, { status, output }: Step): string[] {
  if (!node || node.bound.sources.length < 2 || (status !== "completed" && status !== "failed_continued")) return [];
  return namesOf(node, node.bound.live(output)).filter((name) => node.body === null || !name.endsWith(".loop"));
}

function namesOf({ id }: GraphNode, handles: readonly string[]): string[] {
  return handles.map((handle) => `${id}.${handle}`);
}
