import * as z from "zod";
import { workflowType } from "../../contract/workflow.ts";
import { workflowList } from "../../contract/workflow-api.ts";
import { presentWorkflow } from "../../engine/presentation/present-workflow.ts";
import { defineToolOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";

export const listWorkflows = defineToolOperation({
  name: "listWorkflows",
  tool: {
    name: "list_workflows",
    description:
      "Lists the workflows of the workspace by name, those too that are only a draft. Use it to find the workflow_id of a " +
      "workflow to read, change or deploy; what can be run is in list_actions.",
    hints: readsOnly,
  },
  title: "List workflows",
  scope: "workflows:read",
  input: z.object({
    query: z.string().default("").describe("Text in the name, the description or the action's slug"),
    type: workflowType.optional(),
    limit: z.int().min(1).max(100).default(20),
    offset: z.int().min(0).default(0),
  }),
  output: workflowList,
  async handle({ services, caller }, { query, type, limit, offset }) {
    const all = await services.store.listWorkflows(caller.workspaceId);
    const text = query.toLowerCase();
    const found = all.filter((workflow) => {
      const texts = [workflow.name, workflow.description ?? "", workflow.slug ?? ""];
      return (type ?? workflow.type) === workflow.type && texts.some((one) => one.toLowerCase().includes(text));
    });
    const page = found.slice(offset, offset + limit);
    return { workflows: page.map(presentWorkflow), total: found.length, limit, offset };
  },
});
