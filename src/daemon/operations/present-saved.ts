import type { SavedWorkflow } from "../../contract/workflow-api.ts";
import { type SaveOutcome, partIssues } from "../../engine/save-workflow.ts";

/** A saved or checked draft as callers read it. */
export function presentSaved({ workflowId, type, revision, issues }: SaveOutcome): SavedWorkflow {
  return { workflow_id: workflowId, type, revision, ...partIssues(issues) };
}
