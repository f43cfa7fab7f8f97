import { ApiError } from "../../contract/errors.ts";
import type { DraftRecord, Store, WorkflowRecord } from "../../store/store.ts";

/** A workflow of a workspace by its id; throws WORKFLOW_NOT_FOUND, also for a deleted one. */
export async function requireWorkflow(store: Store, workspaceId: number, id: string): Promise<WorkflowRecord> {
  const workflow = await store.findWorkflow(workspaceId, { id: id.toLowerCase() });
  if (workflow && workflow.deletedAt === null) return workflow;
  throw missingWorkflow(id);
}

/** The draft of a workflow, which every one has that is not deleted. */
export async function requireDraft(store: Store, workflow: WorkflowRecord): Promise<DraftRecord> {
  const draft = await store.findDraft(workflow.id);
  if (!draft) throw missingWorkflow(workflow.id);
  return draft;
}

export function missingWorkflow(id: string): ApiError {
  return new ApiError("WORKFLOW_NOT_FOUND", `No workflow has the id ${id.slice(0, 100)}`);
}
