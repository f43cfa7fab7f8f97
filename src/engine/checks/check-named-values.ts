import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { warningAt } from "../definition/issue.ts";
import { didYouMean } from "../definition/nearest-name.ts";
import type { NodeType } from "../node.ts";
import { nodePlace, readGraph } from "./checked-graph.ts";

/** The names of a workspace's variables and secrets. */
export type KnownNames = { variables: readonly string[]; secrets: readonly string[] };

/**
 * Warns of `{{var.NAME}}` and `{{secret.NAME}}` that the workspace does not have. No error: they are set apart from
 * workflows, also after them; a run that gets there before its secret fails and says so.
 */
export function checkNamedValues(
  definition: WorkflowDefinition,
  catalogue: readonly NodeType[],
  names: KnownNames,
): Issue[] {
  const known = { var: new Set(names.variables), secret: new Set(names.secrets) };
  return readGraph(definition, catalogue).nodes.flatMap((node) => {
    const { references = [], lateReferences = [] } = node.known?.templates ?? {};
    return [...references, ...lateReferences].flatMap(({ root, path: [name], text, pointer }) => {
      if ((root !== "var" && root !== "secret") || name === undefined || known[root].has(String(name))) return [];
      const what = root === "var" ? "variable" : "secret";
      const hint = didYouMean(String(name), known[root]) || `; set it with: stepgate ${root}s set ${name}`;
      const message = `{{${text}}}: the workspace has no ${what} ${name}${hint}`;
      return [warningAt(nodePlace(node, `/data${pointer}`), `unknown_${what}`, message)];
    });
  });
}
