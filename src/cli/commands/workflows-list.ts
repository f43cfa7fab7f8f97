import type { WorkflowList } from "../../contract/workflow-api.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { oneOf, value, wholeNumber } from "../option.ts";
import { printListing } from "../print.ts";

export const workflowsList = defineCommand({
  name: "list",
  summary: "list workflows by name, those too that are only a draft",
  options: {
    query: value("TEXT", "in the name, the description or the slug"),
    type: value("TYPE", "callable or event_driven", { parse: oneOf("callable", "event_driven") }),
    limit: value("N", "how many (20)", { parse: wholeNumber(1, 100) }),
    offset: value("N", "how many to leave out", { parse: wholeNumber(0) }),
  },
  examples: ["workflows list", "workflows list --type callable --json"],
  async action({ control, output }, query) {
    const client = await control();
    const list = await client.get<WorkflowList>("/control/workflows", query);
    await printListing(output, {
      json: list,
      rows: list.workflows,
      id: (workflow) => workflow.workflow_id,
      columns: ["NAME", "TYPE", "ACTION", "VERSION", "UPDATED", "ID"],
      cells: (workflow) => [
        textCell(workflow.name, "bold"),
        textCell(workflow.type),
        textCell(workflow.action_slug),
        textCell(workflow.deployed_version ?? "draft"),
        timeCell(workflow.updated_at, output.now),
        textCell(workflow.workflow_id),
      ],
      empty: "No workflows. Publish one with: stepgate publish FILE",
    });
  },
});
