import { ApiError } from "../contract/errors.ts";
import type { DecidedVia } from "../contract/approval.ts";
import type { Services } from "./services.ts";

export type DeleteRun = { workspaceId: number; runId: string; userId: string; via: DecidedVia };

/**
 * Deletes a run that is over, with its journal, its originals and its console; what the audit log says of it stays.
 * Throws RUN_NOT_FOUND, and BAD_REQUEST for a run that is not over.
 */
export async function deleteRun(
  { store, world }: Services,
  { workspaceId, runId, userId, via }: DeleteRun,
): Promise<void> {
  const outcome = await store.deleteRun({
    runId,
    audit: {
      workspaceId,
      event: "run.deleted",
      decision: null,
      runId,
      approvalId: null,
      userId,
      decidedVia: via,
      comment: null,
      createdAt: world.now().getTime(),
    },
  });
  if (outcome === "missing") throw new ApiError("RUN_NOT_FOUND", `No run has the id ${runId}`);
  if (outcome === "active") throw new ApiError("BAD_REQUEST", `The run ${runId} is not over: cancel it first`);
}
