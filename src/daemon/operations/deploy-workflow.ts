import * as z from "zod";
import { approvalPolicy, slug } from "../../contract/action.ts";
import { deployedWorkflow } from "../../contract/workflow-api.ts";
import { deployWorkflow as deployDraft } from "../../engine/deploy-workflow.ts";
import { defineToolOperation } from "../operation.ts";
import { workflowId } from "./workflow-id.ts";

export const deployWorkflow = defineToolOperation({
  name: "deployWorkflow",
  tool: {
    name: "deploy_workflow",
    description:
      "Publishes a callable workflow's draft as its next version: from then on run_action runs it under its slug. The " +
      "first deploy names the slug, for good. A change of the input that breaks callers needs allow_breaking; taking away " +
      "a gate needs the scope approvals:decide. create_workflow and update_workflow make the draft.",
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  },
  title: "Deploy a workflow",
  scope: "workflows:write",
  input: z.object({
    workflow_id: workflowId,
    slug: slug.optional().describe("The action's slug, with the first deploy"),
    approval_policy: approvalPolicy
      .optional()
      .describe("always: each run waits for a person first; default: the draft's"),
    allow_breaking: z.boolean().default(false),
  }),
  output: deployedWorkflow,
  async handle({ services, caller }, fields) {
    const { workspaceId, userId, scopes, keyId } = caller;
    const deployed = await deployDraft(services, {
      workspaceId,
      workflowId: fields.workflow_id,
      slug: fields.slug ?? null,
      approvalPolicy: fields.approval_policy ?? null,
      allowBreaking: fields.allow_breaking,
      canDecide: scopes.includes("approvals:decide"),
      userId,
      via: keyId === null ? "cli" : "api",
    });
    const { workflowId: workflow_id, version, slug: action_slug, inputSchema, outputSchema } = deployed;
    const breaking_changes = deployed.breakingChanges;
    return {
      workflow_id,
      version,
      status: "deployed" as const,
      action_slug,
      inputSchema,
      outputSchema,
      breaking_changes,
    };
  },
});
