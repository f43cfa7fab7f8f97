import { buildWorkflowSchema } from "../engine/definition/workflow-schema.ts";
import { nodes } from "../nodes/index.ts";

/** The JSON Schema of workflow files with every node of the catalogue, with which editors complete and check them. */
export function workflowSchema(): string {
  return `${JSON.stringify(buildWorkflowSchema(nodes), null, 2)}\n`;
}
