import type { Issue, WorkflowDefinition, WorkflowNode } from "../../contract/workflow.ts";
import { isBeyondAnalysis } from "./check-size.ts";
import { errorAt } from "../definition/issue.ts";
import { pointerParts } from "../values/json-pointer.ts";
import { readPath } from "../values/json.ts";
import type { NodeType } from "../node.ts";
import type { ScriptRunner } from "../script.ts";

/** Code of the issues whose line and column count within the script that they point at. */
export const scriptIssue = "invalid_code";

/**
 * Compiles every script of a definition (contract 16) and reports each that can't be run. Line and column count within
 * the script, since a definition has no text of its own.
 */
export async function checkScripts(
  definition: WorkflowDefinition,
  catalogue: readonly NodeType[],
  scripts: Pick<ScriptRunner, "check">,
): Promise<Issue[]> {
  if (isBeyondAnalysis(definition)) return [];
  const pointers = new Map<string, readonly string[]>(catalogue.map((type) => [type.type, type.scripts ?? []]));
  const issues: Issue[] = [];
  for (const [index, node] of definition.nodes.entries()) {
    for (const pointer of pointers.get(node.type) ?? []) {
      const issue = await checkScript(node, index, pointer, scripts);
      if (issue) issues.push(issue);
    }
  }
  return issues;
}

async function checkScript(
  { id, data }: WorkflowNode,
  index: number,
  pointer: string,
  scripts: Pick<ScriptRunner, "check">,
): Promise<Issue | null> {
  const code = readPath(data, pointerParts(pointer));
  // Whatever is no text is reported by the node's own schema.
  const problem = typeof code === "string" ? await scripts.check(code) : null;
  if (!problem) return null;
  const { message, line, column } = problem;
  const place = { path: `/nodes/${index}/data${pointer}`, node_id: id };
  return { ...errorAt(place, scriptIssue, `${message} (line ${line}, column ${column} of the code)`), line, column };
}
