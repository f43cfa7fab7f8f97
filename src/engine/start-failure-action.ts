import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { DueRecord } from "../store/store.ts";
import type { Services } from "./services.ts";
import { startRun } from "./start-run.ts";

/** Refusals that pass: the moment stays and is tried again. */
const passing: ReadonlySet<string> = new Set(["RATE_LIMIT_EXCEEDED", "OVERLOADED", "INTERNAL_ERROR"]);

/**
 * Starts the action that a workflow names for its failures with `{run_id, workflow, error}`, once for each failed run
 * (contract 5). Throws what refused it; a refusal that would come again takes the moment away.
 */
export async function startFailureAction(
  services: Services,
  { runId, workspaceId, owner: slug }: DueRecord,
): Promise<void> {
  const { store } = services;
  const done = async () => store.removeDue({ runId, kind: "on_failure", owner: slug });
  const run = await store.findRun(workspaceId, runId);
  if (!run) return done();
  const workflow = await store.findWorkflow(workspaceId, { id: run.workflowId });
  const input: { [key: string]: Json } = {
    run_id: run.id,
    workflow: workflow?.name ?? run.workflowId,
    error: run.error as Json,
  };
  try {
    // Named after the failed run, so that a crash between the start and the moment's end starts nothing twice.
    const idempotencyKey = `on_failure:${run.id}`;
    await startRun(services, { workspaceId, slug, userId: run.userId, input, dryRun: false, idempotencyKey });
  } catch (error) {
    if (!(error instanceof ApiError) || passing.has(error.code)) throw error;
    await done();
    throw new Error(`The action ${slug}, which the failure of run ${runId} starts, was refused: ${error.message}`, {
      cause: error,
    });
  }
  await done();
}
