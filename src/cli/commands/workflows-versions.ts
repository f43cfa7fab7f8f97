import type { WorkflowDetail } from "../../contract/workflow-api.ts";
import { textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { workflowArgument, workflowPath } from "../find-workflow.ts";
import { printListing } from "../print.ts";

export const workflowsVersions = defineCommand({
  name: "versions",
  summary: "list a workflow's versions, the newest first",
  arguments: { workflow: workflowArgument },
  examples: ["workflows versions refund-order", "workflows versions refund-order --json"],
  async action({ control, output }, { workflow }) {
    const client = await control();
    const { versions } = await client.get<WorkflowDetail>(workflowPath(workflow));
    await printListing(output, {
      json: { versions },
      rows: versions,
      id: (version) => version.workflow_version_id,
      columns: ["VERSION", "STATUS", "PUBLISHED", "ID"],
      cells: (version) => [
        textCell(version.version, "bold"),
        textCell(version.status, version.status === "deployed" ? "green" : "dim"),
        timeCell(version.published_at, output.now),
        textCell(version.workflow_version_id),
      ],
      empty: "No versions: the workflow is only a draft.",
    });
  },
});
