import { complexity } from "../../contract/limits.ts";
import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { errorAt } from "../definition/issue.ts";

/** Checks the complexity limits of a definition (spec 3.4, contract 2). */
export function checkSize(definition: WorkflowDefinition): Issue[] {
  const { nodes, edges } = definition;
  const issues: Issue[] = [];
  const split = "split the workflow into several actions";
  if (nodes.length > complexity.nodes) {
    const message = `The workflow has ${nodes.length} nodes, more than ${complexity.nodes}; ${split}`;
    issues.push(errorAt({ path: "/nodes" }, "too_many_nodes", message));
  }
  if (edges.length > complexity.edges) {
    const message = `The workflow has ${edges.length} edges, more than ${complexity.edges}; ${split}`;
    issues.push(errorAt({ path: "/edges" }, "too_many_edges", message));
  }
  const bytes = Buffer.byteLength(JSON.stringify(definition));
  if (bytes > complexity.bytes) {
    const message = `The definition has ${bytes} bytes, more than ${complexity.bytes}; ${split}`;
    issues.push(errorAt({ path: "" }, "definition_too_large", message));
  }
  return issues;
}

/** Whether a definition is so far over the limits that its graph is not looked at: that takes quadratic memory. */
export function isBeyondAnalysis({ nodes, edges }: WorkflowDefinition): boolean {
  return nodes.length > complexity.nodes * 5 || edges.length > complexity.edges * 5;
}
