import type { WorkflowSummaryBody, versionLine } from "../../contract/workflow-api.ts";
import type * as z from "zod";
import type { VersionRecord, WorkflowSummary } from "../../store/store.ts";

/** A workflow as callers read it. */
export function presentWorkflow(workflow: WorkflowSummary): WorkflowSummaryBody {
  return {
    workflow_id: workflow.id,
    name: workflow.name,
    description: workflow.description,
    type: workflow.type,
    action_slug: workflow.slug,
    revision: workflow.revision,
    deployed_version: workflow.deployedVersion,
    created_at: new Date(workflow.createdAt).toISOString(),
    updated_at: new Date(workflow.updatedAt).toISOString(),
  };
}

type VersionLine = Pick<VersionRecord, "id" | "version" | "status" | "publishedAt">;

export function presentVersion({ id, version, status, publishedAt }: VersionLine): z.infer<typeof versionLine> {
  return { version, status, workflow_version_id: id, published_at: new Date(publishedAt).toISOString() };
}
