import * as z from "zod";
import { jsonObject } from "../../contract/json.ts";
import { savedWorkflow } from "../../contract/workflow-api.ts";
import { createWorkflow as createDraft } from "../../engine/save-workflow.ts";
import { defineToolOperation } from "../operation.ts";
import { presentSaved } from "./present-saved.ts";

export const createWorkflow = defineToolOperation({
  name: "createWorkflow",
  tool: {
    name: "create_workflow",
    description:
      "Creates a workflow as a draft and says what is wrong with it; deploy_workflow makes it an action. A callable one " +
      "begins with the node action_input {properties: [{name, type, required}]} and ends with return_output {properties: " +
      "[{name, type, value}]}. Nodes are {id, type, data}, edges {source, target, sourceHandle, targetHandle}; the source " +
      'handle is "default", of a condition "true" or "false", of a loop "loop" or "done". Values are templates: ' +
      "{{action_input.field}}, {{node_id.field}}. A node whose data has requireApproval waits for a person. With " +
      "validate_only nothing is stored: use it to check a definition before.",
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  },
  title: "Create a workflow",
  scope: "workflows:write",
  input: z.object({
    name: z.string().min(1).max(200),
    definition: jsonObject.describe("{nodes: […], edges: […]}, or a whole definition with name, slug and so on"),
    description: z.string().optional().describe("What agents read of the action"),
    validate_only: z.boolean().default(false).describe("Only check; store nothing"),
  }),
  output: savedWorkflow,
  async handle({ services, caller }, { validate_only: validateOnly, ...change }) {
    return presentSaved(await createDraft(services, { ...change, workspaceId: caller.workspaceId, validateOnly }));
  },
});
