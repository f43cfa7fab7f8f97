import { ApiError } from "../../contract/errors.ts";
import type { Services } from "../../engine/services.ts";
import type { RunRecord } from "../../store/store.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The run of a workspace; throws RUN_NOT_FOUND, also for an id that is no UUID. */
export async function requireRun(services: Services, workspaceId: number, runId: string): Promise<RunRecord> {
  const id = runId.toLowerCase();
  const run = uuid.test(id) ? await services.store.findRun(workspaceId, id) : null;
  if (!run) throw new ApiError("RUN_NOT_FOUND", `No run has the id ${runId.slice(0, 100)}`);
  return run;
}
