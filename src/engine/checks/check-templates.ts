import type { Issue } from "../../contract/workflow.ts";
import { enclosingLoops, itemVariable } from "./check-loops.ts";
import { startTypes } from "./check-kind.ts";
import { type CheckedGraph, type CheckedNode, nodePlace } from "./checked-graph.ts";
import { declaredProperties } from "../definition/derive-schemas.ts";
import { familiarReference } from "../definition/familiar-names.ts";
import { errorAt, warningAt } from "../definition/issue.ts";
import { didYouMean, nearestName } from "../definition/nearest-name.ts";
import type { Reference } from "../templates/template.ts";

/** Checks every template: that it can be read, and that its root is something upstream of its node (contract 3). */
export function checkTemplates(graph: CheckedGraph): Issue[] {
  const inputs = new Set(declaredProperties(graph.definition, "action_input").map(({ name }) => name));
  return graph.nodes.flatMap((node) => {
    if (!node.known) return [];
    const { templates, type } = node.known;
    const items = new Set(enclosingLoops(graph.topology, node.id).map((id) => variableOf(graph, id)));
    const late = new Set([...items, ...(type.lateTemplates?.roots ?? [])]);
    return [
      ...templates.problems.map(({ pointer, message, offset }) => {
        const text = `Malformed template at character ${offset + 1}: ${message}`;
        return errorAt(nodePlace(node, `/data${pointer}`), "malformed_template", text);
      }),
      ...templates.references.flatMap((reference) => checkReference({ graph, node, inputs, locals: items }, reference)),
      ...templates.lateReferences.flatMap((reference) =>
        checkReference({ graph, node, inputs, locals: late }, reference),
      ),
    ];
  });
}

function variableOf(graph: CheckedGraph, loop: string): string {
  const node = graph.byId.get(loop);
  return node ? itemVariable(node) : "item";
}

type Reader = {
  graph: CheckedGraph;
  node: CheckedNode;
  inputs: ReadonlySet<string>;
  /** Roots that this node has beside those of all. */
  locals: ReadonlySet<string>;
};

/** What is wrong with a reference, without its place. */
type Finding = { severity: "error" | "warning"; code: string; message: string };

function checkReference(reader: Reader, reference: Reference & { pointer: string }): Issue[] {
  const finding = findProblem(reader, reference);
  if (!finding) return [];
  const place = nodePlace(reader.node, `/data${reference.pointer}`);
  const message = `{{${reference.text}}}: ${finding.message}`;
  return [
    finding.severity === "error" ? errorAt(place, finding.code, message) : warningAt(place, finding.code, message),
  ];
}

function findProblem(reader: Reader, { root, path }: Reference): Finding | null {
  const { graph, node, locals } = reader;
  if (locals.has(root)) return null;
  if (root === "var" || root === "secret") return checkNamed(root, path);
  if (startTypes.has(node.node.type)) {
    return error("template_not_upstream", `nothing runs before ${node.id}; only var and secret can be read here`);
  }
  if (startTypes.has(root)) return checkStart(reader, root, path);
  if (root === "run") return checkMember(root, path, ["id", "source", "started_at"]);
  if (root === "loop") return checkLoopRoot(graph, node, path);
  return checkNodeRoot(reader, root, path);
}

function error(code: string, message: string): Finding {
  return { severity: "error", code, message };
}

function warning(code: string, message: string): Finding {
  return { severity: "warning", code, message };
}

/** All variables, or all secrets, at once are nothing to put into a field. */
function checkNamed(root: string, path: Reference["path"]): Finding | null {
  return path.length > 0 ? null : error("template_incomplete", `${root} needs a name, as in {{${root}.NAME}}`);
}

function checkStart({ graph, inputs }: Reader, root: string, path: Reference["path"]): Finding | null {
  if (!graph.nodes.some(({ node }) => node.type === root)) {
    return error("unknown_template_root", `this workflow has no ${root} node`);
  }
  if (root === "trigger") return null;
  // `output` is the whole input, unless a property has that name (contract 3).
  const [field] = path[0] === "output" ? path.slice(1) : path;
  if (typeof field !== "string" || inputs.has(field)) return null;
  // Fields outside the schema are allowed, so that only what looks like a slip is worth a word.
  const nearest = nearestName(field, inputs);
  return nearest === null
    ? null
    : warning("unknown_input_field", `the input declares no ${field}; did you mean ${nearest}?`);
}

function checkMember(root: string, [member]: Reference["path"], known: readonly string[]): Finding | null {
  if (member === undefined || known.includes(String(member))) return null;
  const names = known.map((name) => `${root}.${name}`).join(", ");
  return warning("unknown_template_field", `${root} has no ${member}; it has ${names}`);
}

function checkLoopRoot({ topology }: CheckedGraph, { id }: CheckedNode, path: Reference["path"]): Finding | null {
  if (topology.loopOf(id) !== null) return checkMember("loop", path, ["index", "total"]);
  return error("template_outside_loop", `${id} is in no loop's body; loop can be read inside one alone`);
}

function checkNodeRoot({ graph, node, locals }: Reader, root: string, path: Reference["path"]): Finding | null {
  const { topology } = graph;
  const upstream = topology.ancestors(node.id);
  if (!graph.byId.has(root)) {
    const names = [...upstream, ...locals, "action_input", "trigger", "run", "loop", "var", "secret"];
    const familiar = familiarReference(root, path, (id) => graph.byId.has(id));
    const hint = familiar === null ? didYouMean(root, names) : `; write {{${familiar}}}`;
    return error("unknown_template_root", `${root} is neither a node of this workflow nor another root${hint}`);
  }
  if (enclosingLoops(topology, node.id).includes(root)) {
    const item = variableOf(graph, root);
    return warning(
      "loop_not_done",
      `${root} has no output before its last iteration; inside its body read {{${item}}}`,
    );
  }
  if (upstream.has(root)) return null;
  if (root === node.id) return error("template_not_upstream", "a node can't read its own output");
  const loop = topology.loopOf(root);
  if (loop !== null && upstream.has(loop)) {
    return error("template_not_upstream", `${root} runs inside the loop ${loop}; read {{${loop}.iterations}} instead`);
  }
  return error(
    "template_not_upstream",
    `${root} is not upstream of ${node.id}; add an edge path from one to the other`,
  );
}
