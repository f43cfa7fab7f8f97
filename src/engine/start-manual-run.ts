import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { RunRecord, WorkflowRecord } from "../store/store.ts";
import type { Services } from "./services.ts";
import { startRun } from "./start-run.ts";
import { startTriggeredRun } from "./start-triggered-run.ts";

/**
 * Starts a `manual` run of a workflow's deployed version (contract 18): of a callable one as its action would be run, of
 * an event-driven one with `input` as the trigger's output, also while it is paused. Throws ACTION_UNAVAILABLE when
 * nothing is deployed, and what starting such a run throws.
 */
export async function startManualRun(
  services: Services,
  { workflow, userId, input }: { workflow: WorkflowRecord; userId: string; input: Json },
): Promise<RunRecord> {
  const { workspaceId, id, slug, type, name } = workflow;
  if (type === "callable" && slug !== null) {
    const asked = { workspaceId, slug, userId, input, dryRun: false, idempotencyKey: null };
    return (await startRun(services, { ...asked, source: "manual" })).run;
  }
  const subscription = type === "callable" ? null : await services.store.findTrigger(workspaceId, id);
  if (!subscription) throw new ApiError("ACTION_UNAVAILABLE", `The workflow ${name} has no deployed version`);
  return (await startTriggeredRun(services, { subscription, source: "manual", output: input, userId })).run;
}
