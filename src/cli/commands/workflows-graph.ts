import type { OpenedWorkflow } from "../../contract/workflow-api.ts";
import { defineCommand } from "../command.ts";
import { workflowArgument, workflowPath } from "../find-workflow.ts";
import { safeText } from "../safe-text.ts";

export const workflowsGraph = defineCommand({
  name: "graph",
  summary: "print the graph of a workflow's draft as Mermaid text",
  arguments: { workflow: workflowArgument },
  examples: ["workflows graph refund-order > refund-order.mmd", "workflows graph refund-order --json"],
  async action({ control, output }, { workflow }) {
    const client = await control();
    const opened = await client.get<OpenedWorkflow>(`${workflowPath(workflow)}/graph`);
    if (output.format === "json" || output.format === "jsonl") output.document(opened);
    else output.print(...opened.mermaid.trimEnd().split("\n").map(safeText));
  },
});
