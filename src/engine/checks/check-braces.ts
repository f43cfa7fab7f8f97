import type { Issue } from "../../contract/workflow.ts";
import { warningAt } from "../definition/issue.ts";
import { type CheckedGraph, nodePlace } from "./checked-graph.ts";

/** `{root.path}` and `${root.path}`, with one brace where a template has two. */
const singleBraces = /(?<!\{)\$?\{\s*(?<reference>(?<root>[A-Za-z_][\w-]*)(?:\.[\w-]+|\[\d+\])+)\s*\}(?!\})/g;

const roots = new Set(["action_input", "trigger", "var", "secret", "run"]);

/** Warns of what reads like a template and is plain text, since it has one brace: it would be passed on as it stands. */
export function checkBraces(graph: CheckedGraph): Issue[] {
  return graph.nodes.flatMap((node) =>
    (node.known?.templates.texts ?? []).flatMap(({ pointer, text }) =>
      [...text.matchAll(singleBraces)].flatMap(({ 0: written, groups }) => {
        const { root = "", reference = "" } = groups ?? {};
        if (!roots.has(root) && !graph.byId.has(root)) return [];
        const message = `${written} is plain text: a template takes two braces, as in {{${reference}}}`;
        return [warningAt(nodePlace(node, `/data${pointer}`), "single_braces", message)];
      }),
    ),
  );
}
