import * as z from "zod";
import { openedWorkflow } from "../../contract/workflow-api.ts";
import { drawMermaid } from "../../engine/definition/mermaid.ts";
import { requireDraft, requireWorkflow } from "../../engine/definition/require-workflow.ts";
import { defineToolOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";
import { workflowId } from "./workflow-id.ts";

export const openWorkflow = defineToolOperation({
  name: "openWorkflow",
  tool: {
    name: "open_workflow",
    description:
      "Shows a workflow to the user: its draft's graph as Mermaid text, the file that it came from, and a command that " +
      "shows it in their terminal. list_workflows gives the workflow_id; get_workflow gives the definition itself.",
    hints: readsOnly,
  },
  title: "Open a workflow",
  scope: "workflows:read",
  input: z.object({ workflow_id: workflowId }),
  output: openedWorkflow,
  async handle({ services: { store }, caller }, { workflow_id: id }) {
    const workflow = await requireWorkflow(store, caller.workspaceId, id);
    const { definition } = await requireDraft(store, workflow);
    return {
      workflow_id: workflow.id,
      path: workflow.sourcePath,
      command: `stepgate workflows graph ${workflow.id}`,
      mermaid: drawMermaid(definition),
    };
  },
});
