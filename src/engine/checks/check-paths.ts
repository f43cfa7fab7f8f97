import type { Issue } from "../../contract/workflow.ts";
import { type CheckedGraph, edgePlace, nodePlace } from "./checked-graph.ts";
import { startTypes } from "./check-kind.ts";
import { errorAt } from "../definition/issue.ts";

/** Finds cycles, and nodes that no run can reach (contract 2). */
export function checkPaths(graph: CheckedGraph): Issue[] {
  return [...graph.topology.cycles.map((cycle) => describeCycle(graph, cycle)), ...findUnreachable(graph)];
}

/** The issue stands at the edge that closes the cycle. */
function describeCycle(graph: CheckedGraph, cycle: readonly string[]): Issue {
  const [first = "", ...rest] = cycle;
  const last = cycle.at(-1);
  const index = graph.definition.edges.findIndex((edge) => edge.source === last && edge.target === first);
  const path = [first, ...rest, first].join(" -> ");
  const message = `The nodes form a cycle: ${path}. Remove an edge; to repeat steps use a loop, whose body needs no edge back`;
  return errorAt({ ...edgePlace(graph, index), node_id: first }, "cycle", message);
}

function findUnreachable({ nodes, topology }: CheckedGraph): Issue[] {
  const starts = nodes.filter(({ node }) => startTypes.has(node.type));
  // Without a start nothing is reachable; that is reported as what it is.
  if (starts.length === 0) return [];
  return nodes
    .filter((node) => !starts.includes(node) && !starts.some((start) => topology.ancestors(node.id).has(start.id)))
    .map((node) => {
      const message = `No path leads from ${starts[0]?.id} to ${node.id}; connect it or remove it`;
      return errorAt(nodePlace(node), "unreachable_node", message);
    });
}
