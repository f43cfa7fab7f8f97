import type { DeletedWorkflowBody } from "../../contract/workflow-api.ts";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../context.ts";
import { workflowArgument, workflowPath } from "../find-workflow.ts";
import { printSheet } from "../print.ts";
import { safeText } from "../safe-text.ts";

export const workflowsDelete = defineCommand({
  name: "delete",
  summary: "delete a workflow and its action; runs in flight go on, publishing it again restores it",
  arguments: { workflow: workflowArgument },
  examples: ["workflows delete refund-order", "workflows delete refund-order --yes"],
  async action(context, { workflow }) {
    await confirm(context, `Delete the workflow ${safeText(workflow)} and its action?`);
    const client = await context.control();
    const deleted = await client.post<DeletedWorkflowBody>(`${workflowPath(workflow)}/delete`);
    await printSheet(context.output, {
      json: deleted,
      id: deleted.workflow_id,
      fields: [
        ["deleted", textCell(deleted.workflow_id)],
        ["action", textCell(deleted.deleted_action_slug)],
      ],
    });
  },
});
