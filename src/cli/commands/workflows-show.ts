import type { WorkflowDetail } from "../../contract/workflow-api.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { workflowArgument, workflowPath } from "../find-workflow.ts";
import { value, wholeNumber } from "../option.ts";
import { printSheet } from "../print.ts";

export const workflowsShow = defineCommand({
  name: "show",
  summary: "show a workflow; with --json also its definition",
  arguments: { workflow: workflowArgument },
  options: { version: value("N", "the definition of this version, not the draft's", { parse: wholeNumber(1) }) },
  examples: ["workflows show refund-order", "workflows show refund-order --version 2 --json"],
  async action({ control, output }, { workflow: reference, version }) {
    const client = await control();
    const workflow = await client.get<WorkflowDetail>(workflowPath(reference), { version });
    const { nodes, approval_policy: policy } = workflow.definition;
    await printSheet(output, {
      json: workflow,
      id: workflow.workflow_id,
      fields: [
        ["id", textCell(workflow.workflow_id)],
        ["name", textCell(workflow.name, "bold")],
        ["description", textCell(workflow.description)],
        ["type", textCell(workflow.type)],
        ["action", textCell(workflow.action_slug)],
        ["deployed", textCell(workflow.deployed_version ?? "not yet")],
        ["revision", textCell(workflow.revision)],
        ["approval", textCell(policy)],
        ["nodes", textCell(nodes.map(({ id }) => id).join(", "))],
        ["created", timeCell(workflow.created_at, output.now)],
        ["updated", timeCell(workflow.updated_at, output.now)],
      ],
    });
  },
});
