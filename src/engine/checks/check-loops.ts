import { complexity } from "../../contract/limits.ts";
import type { Issue } from "../../contract/workflow.ts";
import { type CheckedGraph, type CheckedNode, edgePlace, nodePlace } from "./checked-graph.ts";
import { errorAt, warningAt } from "../definition/issue.ts";
import { reservedNames } from "../definition/reserved-names.ts";
import type { Topology } from "../graph/topology.ts";

/** Checks loops: closed bodies, depth, item variables, no end of the run inside (contract 2, 5). */
export function checkLoops(graph: CheckedGraph): Issue[] {
  const loops = graph.nodes.filter(({ node }) => node.type === "loop");
  const names = loops.flatMap((loop) => checkItemVariable(graph, loop));
  // A cycle is reported as one; with it, what belongs to which body is anybody's guess.
  if (loops.length === 0 || graph.topology.cycles.length > 0) return names;
  const crossings = findCrossings(graph);
  return [
    ...names,
    ...loops.flatMap((loop) => checkDepth(graph.topology, loop)),
    ...crossings.map((crossing) => describeCrossing(graph, crossing)),
    ...findOutputsInside(graph, new Set(crossings.map(({ target }) => target))),
  ];
}

/** An edge by which a loop's body is entered from beside it (`entry`) or left (`leak`). */
type Crossing = { kind: "entry" | "leak"; loop: string; index: number; source: string; target: string };

/**
 * A body is what its `loop` handle reaches; so what is wrong shows where something else reaches it too. When that
 * comes after the loop, the node was meant to follow the loop, and the body's edges to it are the mistake.
 */
function findCrossings({ definition: { edges }, byId, topology }: CheckedGraph): Crossing[] {
  const found = new Map<number, Crossing>();
  for (const [index, { source, target, sourceHandle }] of edges.entries()) {
    if (!byId.has(source)) continue;
    const loop = enclosingLoops(topology, target).find(
      (id) => !topology.bodyOf(id).has(source) && !(source === id && sourceHandle === "loop"),
    );
    if (loop === undefined) continue;
    if (source !== loop && !topology.ancestors(source).has(loop)) {
      found.set(index, { kind: "entry", loop, index, source, target });
      continue;
    }
    for (const [at, edge] of edges.entries()) {
      const isInside = topology.bodyOf(loop).has(edge.source) || (edge.source === loop && edge.sourceHandle === "loop");
      if (edge.target === target && isInside)
        found.set(at, { kind: "leak", loop, index: at, source: edge.source, target });
    }
  }
  return [...found.values()];
}

/** The loops around a node, from the innermost outwards; on a cycle each once. */
export function enclosingLoops(topology: Topology, id: string): string[] {
  const loops: string[] = [];
  for (let loop = topology.loopOf(id); loop !== null && !loops.includes(loop); loop = topology.loopOf(loop)) {
    loops.push(loop);
  }
  return loops;
}

function describeCrossing(graph: CheckedGraph, { kind, loop, index, source, target }: Crossing): Issue {
  const place = edgePlace(graph, index);
  if (kind === "leak") {
    const message = `The edge from ${source} to ${target} leaves the body of the loop ${loop}; end the body at ${source}, and follow the loop from its done handle`;
    return errorAt(place, "loop_body_leak", message);
  }
  const message = `The edge from ${source} to ${target} enters the body of the loop ${loop} from outside; a body begins at its loop handle alone, and what follows the loop at done`;
  return errorAt(place, "loop_body_entry", message);
}

/** Where an edge leaks, the nodes behind it are no true part of the body. */
function findOutputsInside({ nodes, topology }: CheckedGraph, leakedTo: ReadonlySet<string>): Issue[] {
  return nodes.flatMap((node) => {
    const loop = topology.loopOf(node.id);
    if (node.node.type !== "return_output" || loop === null) return [];
    const ancestors = topology.ancestors(node.id);
    if ([...leakedTo].some((target) => target === node.id || ancestors.has(target))) return [];
    const message = `${node.id} lies in the body of the loop ${loop}; a return_output stands after the loop, at its done handle`;
    return [errorAt(nodePlace(node), "return_output_in_loop", message)];
  });
}

function checkDepth(topology: Topology, loop: CheckedNode): Issue[] {
  if (topology.depthOf(loop.id) < complexity.loopDepth) return [];
  const message = `Loops are nested deeper than ${complexity.loopDepth} at ${loop.id}; move the inner part to an action of its own`;
  return [errorAt(nodePlace(loop), "loop_too_deep", message)];
}

function checkItemVariable(graph: CheckedGraph, loop: CheckedNode): Issue[] {
  const variable = itemVariable(loop);
  const place = nodePlace(loop, "/data/itemVariable");
  if (reservedNames.includes(variable)) {
    return [
      errorAt(place, "item_variable_reserved", `itemVariable ${variable} is a reserved name; choose another one`),
    ];
  }
  if (graph.byId.has(variable)) {
    const message = `itemVariable ${variable} is the id of a node too; rename one of them`;
    return [errorAt(place, "item_variable_taken", message)];
  }
  const outer = enclosingLoops(graph.topology, loop.id).find((id) => {
    const enclosing = graph.byId.get(id);
    return enclosing && itemVariable(enclosing) === variable;
  });
  if (outer === undefined) return [];
  const message = `itemVariable ${variable} hides the one of the enclosing loop ${outer}; choose another name to reach both`;
  return [warningAt(place, "item_variable_hidden", message)];
}

/** The name under which a loop's body reads its item (spec 2.10). */
export function itemVariable({ known }: CheckedNode): string {
  const variable = known?.templates.raw["itemVariable"];
  return typeof variable === "string" ? variable : "item";
}
