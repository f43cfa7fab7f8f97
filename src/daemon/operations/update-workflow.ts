import * as z from "zod";
import { jsonObject } from "../../contract/json.ts";
import { savedWorkflow } from "../../contract/workflow-api.ts";
import { updateWorkflow as updateDraft } from "../../engine/save-workflow.ts";
import { defineToolOperation } from "../operation.ts";
import { presentSaved } from "./present-saved.ts";
import { workflowId } from "./workflow-id.ts";

export const updateWorkflow = defineToolOperation({
  name: "updateWorkflow",
  tool: {
    name: "update_workflow",
    description:
      "Changes a workflow's draft and says what is wrong with it; what runs stays as it is until deploy_workflow. " +
      "`definition` replaces nodes and edges as a whole: read them with get_workflow first, and give the revision that you " +
      "read as expected_revision, so that nobody's change is lost. A callable workflow stays callable.",
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  },
  title: "Update a workflow",
  scope: "workflows:write",
  input: z.object({
    workflow_id: workflowId,
    name: z.string().min(1).max(200).optional(),
    description: z.string().optional(),
    definition: jsonObject.optional().describe("{nodes: […], edges: […]}; other fields that it leaves out stay"),
    expected_revision: z.int().min(1).optional().describe("CONFLICT when the draft is at another one"),
    validate_only: z.boolean().default(false).describe("Only check; store nothing"),
  }),
  output: savedWorkflow,
  async handle({ services, caller }, fields) {
    const {
      workflow_id: id,
      expected_revision: expectedRevision = null,
      validate_only: validateOnly,
      ...change
    } = fields;
    const { workspaceId } = caller;
    const request = { ...change, workspaceId, workflowId: id, expectedRevision, validateOnly };
    return presentSaved(await updateDraft(services, request));
  },
});
