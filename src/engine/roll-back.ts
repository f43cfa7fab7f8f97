import { ApiError } from "../contract/errors.ts";
import type { RolledBack } from "../contract/workflow-api.ts";
import type { WorkflowRecord } from "../store/store.ts";
import { isRefused, summarizeIssues } from "./definition/review-definition.ts";
import { publishWorkflow } from "./publish.ts";
import type { Services } from "./services.ts";

type RollBack = {
  workflow: Pick<WorkflowRecord, "id" | "workspaceId">;
  userId: string;
  version: number;
  allow_breaking: boolean;
};

/**
 * Publishes the definition of an earlier version as the next one (contract 2), with every check of a publish: what a
 * version could rely on then may be gone. Throws VERSION_NOT_FOUND, CONFLICT for the definition that is deployed anyway,
 * and INPUT_VALIDATION_FAILED with every problem.
 */
export async function rollBack(services: Services, request: RollBack): Promise<RolledBack> {
  const { workflow, userId, version, allow_breaking: allowBreaking } = request;
  const earlier = await services.store.findVersion(workflow.id, version);
  if (!earlier) throw new ApiError("VERSION_NOT_FOUND", `The workflow has no version ${version}`);
  const outcome = await publishWorkflow(services, {
    workspaceId: workflow.workspaceId,
    userId,
    definition: earlier.definition,
    id: workflow.id,
    sourcePath: null,
    allowBreaking,
    asNew: false,
    renameFrom: null,
    checkOnly: false,
  });
  if (outcome.kind === "unchanged") {
    throw new ApiError(
      "CONFLICT",
      `Version ${outcome.version}, which is deployed, has the definition of version ${version}`,
    );
  }
  if (outcome.kind !== "published") {
    const errors = outcome.issues.filter((issue) => isRefused([issue]));
    const message = `Version ${version} can't be published again: ${summarizeIssues(errors)}`;
    throw new ApiError("INPUT_VALIDATION_FAILED", message, { details: errors });
  }
  const { workflowId: workflow_id, type, slug, archivedVersion: archived_version } = outcome;
  return { workflow_id, type, slug, version: outcome.version, archived_version, rolled_back_to: version };
}
