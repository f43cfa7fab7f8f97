import type { WorkflowDefinition, WorkflowEdge, WorkflowNode } from "../../contract/workflow.ts";
import { analyzeTopology } from "../graph/topology.ts";

type Graph = Pick<WorkflowDefinition, "nodes" | "edges">;

/**
 * The graph of a definition as a Mermaid flowchart: nodes by their label and id, handles on the edges, the body of each
 * loop as a subgraph. Texts of users are escaped, and ids of users are not used as Mermaid's, some of which are words of
 * its language. Edges to nodes that do not exist are left out.
 */
export function drawMermaid({ nodes, edges }: Graph): string {
  const { loopOf, bodyOf } = analyzeTopology(nodes, edges);
  const names = nameNodes(nodes);

  function drawScope(loopId: string | null, indent: string): string[] {
    const own = [...names.keys()].filter((id) => loopOf(id) === loopId);
    return own.flatMap((id) => {
      const node = nodes.find((other) => other.id === id);
      if (!node) return [];
      const drawn = `${indent}${names.get(id)}${shapeOf(node)}`;
      const body = node.type === "loop" && bodyOf(id).size > 0 ? drawScope(id, `${indent}  `) : [];
      if (body.length === 0) return [drawn];
      return [drawn, `${indent}subgraph body_${names.get(id)}["each item of ${escape(id)}"]`, ...body, `${indent}end`];
    });
  }

  return `${["flowchart TD", ...drawScope(null, "  "), ...edges.flatMap((edge) => drawEdge(edge, names))].join("\n")}\n`;
}

/** Where an id occurs twice, the first node stands for it. */
function nameNodes(nodes: readonly WorkflowNode[]): ReadonlyMap<string, string> {
  const ids = [...new Set(nodes.map(({ id }) => id))];
  return new Map(ids.map((id, index) => [id, `n${index}`]));
}

function drawEdge({ source, target, sourceHandle, targetHandle }: WorkflowEdge, names: ReadonlyMap<string, string>) {
  const [from, to] = [names.get(source), names.get(target)];
  if (!from || !to) return [];
  const handles = [
    sourceHandle === "default" ? "" : sourceHandle,
    targetHandle === "default" ? "" : `→ ${targetHandle}`,
  ];
  const label = handles.filter(Boolean).join(" ");
  return [label === "" ? `  ${from} --> ${to}` : `  ${from} -->|"${escape(label)}"| ${to}`];
}

/** Ends are round, branches are diamonds; a node with a gate says so. */
function shapeOf({ id, type, name, label, data }: WorkflowNode): string {
  const title = name ?? label;
  const gate = data["requireApproval"] === true ? ["needs approval"] : [];
  const lines = [
    ...(title === undefined ? [] : [title]),
    title === id || type === id ? type : `${id} (${type})`,
    ...gate,
  ];
  const text = `"${lines.map(escape).join("<br/>")}"`;
  if (ends.has(type)) return `([${text}])`;
  return branches.has(type) ? `{${text}}` : `[${text}]`;
}

const ends: ReadonlySet<string> = new Set(["action_input", "trigger", "return_output"]);
const branches: ReadonlySet<string> = new Set(["condition", "switch"]);

/** Everything that Mermaid, Markdown or HTML could take for their own becomes a character reference of Mermaid. */
function escape(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} _.,:()\u2192-]/gu, (character) => `#${character.codePointAt(0)};`);
}
