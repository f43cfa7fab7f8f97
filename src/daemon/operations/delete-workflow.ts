import * as z from "zod";
import { deletedWorkflow } from "../../contract/workflow-api.ts";
import { missingWorkflow } from "../../engine/definition/require-workflow.ts";
import { defineToolOperation } from "../operation.ts";
import { workflowId } from "./workflow-id.ts";

export const deleteWorkflow = defineToolOperation({
  name: "deleteWorkflow",
  tool: {
    name: "delete_workflow",
    description:
      "Deletes a workflow and its action, which nobody can run any more; runs in flight go on, and their history stays. " +
      "The slug stays reserved: deploying under it restores the workflow. Ask the user first. list_workflows gives the " +
      "workflow_id.",
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  },
  title: "Delete a workflow",
  scope: "workflows:write",
  input: z.object({ workflow_id: workflowId }),
  output: deletedWorkflow,
  async handle({ services: { store, world }, caller }, { workflow_id: given }) {
    const id = given.toLowerCase();
    const deletion = { workspaceId: caller.workspaceId, workflowId: id, at: world.now().getTime() };
    const deleted = await store.deleteWorkflow(deletion);
    if (!deleted) throw missingWorkflow(given);
    return { workflow_id: id, deleted: true as const, deleted_action_slug: deleted.actionSlug };
  },
});
