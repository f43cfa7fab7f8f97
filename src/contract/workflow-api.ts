import * as z from "zod";
import { jsonObject } from "./json.ts";
import { issue, workflowDefinition, workflowType } from "./workflow.ts";

/** What callers read of workflows (contract 2, 18). */

const timestamp = z.iso.datetime();

export const workflowSummary = z.object({
  workflow_id: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  type: workflowType,
  action_slug: z.string().nullable(),
  revision: z.int().describe("Counts the changes of the draft"),
  deployed_version: z.int().nullable().describe("null: only a draft so far"),
  created_at: timestamp,
  updated_at: timestamp,
});
export type WorkflowSummaryBody = z.infer<typeof workflowSummary>;

export const workflowList = z.object({
  workflows: z.array(workflowSummary),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type WorkflowList = z.infer<typeof workflowList>;

export const versionLine = z.object({
  version: z.int(),
  status: z.enum(["deployed", "archived"]),
  workflow_version_id: z.uuid(),
  published_at: timestamp,
});

export const workflowDetail = workflowSummary.extend({
  definition: workflowDefinition,
  definition_version: z.int().nullable().describe("The version that the definition is of; null: the draft"),
  versions: z.array(versionLine),
});
export type WorkflowDetail = z.infer<typeof workflowDetail>;

export const savedWorkflow = z.object({
  workflow_id: z.uuid().nullable().describe("null when nothing was created"),
  type: workflowType.nullable(),
  revision: z.int().nullable(),
  valid: z.boolean().describe("Whether it could be published as it is"),
  errors: z.array(issue),
  warnings: z.array(issue),
});
export type SavedWorkflow = z.infer<typeof savedWorkflow>;

export const deployedWorkflow = z.object({
  workflow_id: z.uuid(),
  version: z.int(),
  status: z.literal("deployed"),
  action_slug: z.string(),
  inputSchema: jsonObject.nullable(),
  outputSchema: jsonObject.nullable(),
  breaking_changes: z.array(
    z.object({ kind: z.enum(["removed", "newly_required", "type_changed"]), field: z.string(), message: z.string() }),
  ),
});
export type DeployedWorkflowBody = z.infer<typeof deployedWorkflow>;

export const deletedWorkflow = z.object({
  workflow_id: z.uuid(),
  deleted: z.literal(true),
  deleted_action_slug: z.string().nullable(),
});
export type DeletedWorkflowBody = z.infer<typeof deletedWorkflow>;

export const openedWorkflow = z.object({
  workflow_id: z.uuid(),
  path: z.string().nullable().describe("The file that it was published from; null when it came from none"),
  command: z.string().describe("Shows the workflow in the user's terminal"),
  mermaid: z.string().describe("The draft's graph as a Mermaid flowchart"),
});
export type OpenedWorkflow = z.infer<typeof openedWorkflow>;

/** What publishing an earlier version's definition again takes and answers with. */
export const rollbackRequest = z.strictObject({ version: z.int().min(1), allow_breaking: z.boolean().default(false) });

export type RolledBack = {
  workflow_id: string;
  type: z.infer<typeof workflowType>;
  slug: string | null;
  version: number;
  archived_version: number | null;
  /** The version whose definition it is. */
  rolled_back_to: number;
};
