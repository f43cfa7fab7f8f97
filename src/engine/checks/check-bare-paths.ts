import type { Issue } from "../../contract/workflow.ts";
import { warningAt } from "../definition/issue.ts";
import { parsePath } from "../templates/path.ts";
import { type CheckedGraph, type CheckedNode, nodePlace } from "./checked-graph.ts";
import { enclosingLoops, itemVariable } from "./check-loops.ts";

/** Not `run` and `loop`, which begin other names too, such as `run.sh`. */
const roots = ["action_input", "trigger", "var", "secret"];

/**
 * Warns of a text that is nothing but a path into what the node could read, as in `field: action_input.amount`: without
 * braces it is the text itself, which no comparison and no list is ever meant to have (contract 3).
 */
export function checkBarePaths(graph: CheckedGraph): Issue[] {
  return graph.nodes.flatMap((node) => {
    const readable = readableRoots(graph, node);
    return (node.known?.templates.texts ?? [])
      .filter(({ text }) => isPathInto(text, readable))
      .map(({ pointer, text }) => {
        const message = `${text} is plain text: to read the value write {{${text}}}`;
        return warningAt(nodePlace(node, `/data${pointer}`), "bare_path", message);
      });
  });
}

function readableRoots({ topology, byId }: CheckedGraph, { id, known }: CheckedNode): ReadonlySet<string> {
  const items = enclosingLoops(topology, id).flatMap((loop) => {
    const node = byId.get(loop);
    return node ? [itemVariable(node)] : [];
  });
  return new Set([...roots, ...topology.ancestors(id), ...items, ...(known?.type.lateTemplates?.roots ?? [])]);
}

/** A name alone is a word like any other; a path has a second part. */
function isPathInto(text: string, readable: ReadonlySet<string>): boolean {
  if (!/^[A-Za-z_][\w-]*[.[]\S+$/.test(text)) return false;
  const path = parsePath(text);
  return Array.isArray(path) && path.length > 1 && readable.has(String(path[0]));
}
