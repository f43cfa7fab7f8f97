import type { Action } from "../../contract/action.ts";
import type { ActionRecord } from "../../store/store.ts";

/** What every object passes: stands in for the schema of an action that has no release. */
const anyObject = { type: "object", properties: {}, required: [] };

/** An action as callers read it (contract 6); its schemas are those of its release. */
export function presentAction(action: ActionRecord): Action {
  const { release } = action;
  return {
    slug: action.slug,
    name: action.name,
    description: action.description,
    status: action.status,
    inputSchema: release?.inputSchema ?? anyObject,
    outputSchema: release?.outputSchema ?? null,
    approval_policy: action.approvalPolicy,
    workflow_id: action.workflowId,
    release: release && {
      version: release.version,
      workflow_version_id: release.id,
      published_at: new Date(release.publishedAt).toISOString(),
    },
    created_at: new Date(action.createdAt).toISOString(),
    updated_at: new Date(action.updatedAt).toISOString(),
  };
}
