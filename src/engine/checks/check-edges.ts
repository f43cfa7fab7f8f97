import type { Issue, WorkflowEdge } from "../../contract/workflow.ts";
import { type CheckedGraph, type CheckedNode, edgePlace, nodePlace } from "./checked-graph.ts";
import { errorAt } from "../definition/issue.ts";
import { didYouMean } from "../definition/nearest-name.ts";

/** Checks edge by edge: ids, ends, handles; and that every handle of a Merge has one edge (contract 2, spec 2.10). */
export function checkEdges(graph: CheckedGraph): Issue[] {
  const { edges } = graph.definition;
  const ids = edges.map(({ id }) => id);
  return [
    ...edges.flatMap((edge, index) => [
      ...checkId(graph, edge, index, ids),
      ...checkEnd(graph, edge, index, "source"),
      ...checkEnd(graph, edge, index, "target"),
    ]),
    ...graph.nodes.flatMap((node) => checkMerge(graph, node)),
  ];
}

function checkId(graph: CheckedGraph, { id }: WorkflowEdge, index: number, ids: readonly string[]): Issue[] {
  const first = ids.indexOf(id);
  // An empty id was reported as a fault of shape.
  if (first === index || id === "") return [];
  const message = `The edge id ${id} is taken by the edge at /edges/${first}; ids are unique`;
  return [errorAt(edgePlace(graph, index, "/id"), "duplicate_edge_id", message)];
}

function checkEnd(graph: CheckedGraph, edge: WorkflowEdge, index: number, end: "source" | "target"): Issue[] {
  const id = edge[end];
  const node = graph.byId.get(id);
  if (!node) {
    const message = `The edge's ${end} ${id} is no node of this workflow${didYouMean(id, graph.byId.keys())}`;
    return [errorAt(edgePlace(graph, index, `/${end}`), "dangling_edge", message)];
  }
  const handle = end === "source" ? edge.sourceHandle : edge.targetHandle;
  const known = end === "source" ? node.known?.bound?.sources : node.known?.bound?.targets;
  if (!known || known.includes(handle)) return [];
  const message = `${node.id} (${node.node.type}) ${handleMessage(end, handle, known)}`;
  return [errorAt(edgePlace(graph, index, `/${end}Handle`), `unknown_${end}_handle`, message)];
}

function handleMessage(end: "source" | "target", handle: string, known: readonly string[]): string {
  if (known.length === 0)
    return end === "source" ? "has no source handle: nothing follows it" : "has no target handle: nothing leads to it";
  return `has no ${end} handle ${handle}; it has ${known.join(", ")}${didYouMean(handle, known)}`;
}

function checkMerge(graph: CheckedGraph, node: CheckedNode): Issue[] {
  if (node.node.type !== "merge" || !node.known?.bound) return [];
  const inbound = graph.definition.edges
    .map((edge, index) => ({ edge, index }))
    .filter(({ edge }) => edge.target === node.id);
  return node.known.bound.targets.flatMap((handle) => {
    const [first, ...more] = inbound.filter(({ edge }) => edge.targetHandle === handle);
    if (!first) {
      const message = `No edge leads to the handle ${handle} of ${node.id}; connect it, or lower inputs`;
      return [errorAt(nodePlace(node), "merge_handle_missing", message)];
    }
    const message = `The handle ${handle} of ${node.id} has an edge already (${first.edge.id}); each handle takes one`;
    return more.map(({ index }) => errorAt(edgePlace(graph, index, "/targetHandle"), "merge_handle_taken", message));
  });
}
