import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import { maxRunDepth } from "../contract/limits.ts";
import { isTerminal } from "../contract/run.ts";
import type { DueRecord } from "../store/store.ts";
import { cancelRun } from "./cancel-run.ts";
import type { CallPlace } from "./connector.ts";
import { stepKey } from "./execution/step-key.ts";
import { type StepOutcome, fail } from "./node.ts";
import type { Services } from "./services.ts";
import { startRun } from "./start-run.ts";

type Place = Pick<CallPlace, "workspaceId" | "runId" | "stepId" | "iteration">;

/**
 * Starts a run of another action for a step, which then waits for it (contract 13). One step in its iteration starts one
 * run, whatever crashes: asked again, it gets the run that it started. The child belongs to the user of its parent,
 * counts for the hourly cap, and begins as its action's policy says. A refusal is a failure of the step.
 */
export async function startChildRun(
  services: Services,
  { workspaceId, runId, stepId, iteration }: Place,
  { slug, input }: { slug: string; input: { [key: string]: Json } },
): Promise<StepOutcome> {
  const step = stepKey(stepId, iteration);
  const [known] = await services.store.listChildren(runId, step);
  if (known) return { kind: "await_run", runId: known.runId };
  const parent = await services.store.findRun(workspaceId, runId);
  if (!parent) throw new Error(`Run ${runId}, whose step starts another one, is gone`);
  const asked = { workspaceId, slug, userId: parent.userId, input, dryRun: false, idempotencyKey: null };
  try {
    const { run } = await startRun(services, { ...asked, parent: { runId, step, maxDepth: maxRunDepth } });
    return { kind: "await_run", runId: run.id };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusal(slug, error);
  }
}

function refusal(slug: string, { code, message, details, retryAfterSeconds }: ApiError): StepOutcome {
  const isLimit = code === "RATE_LIMIT_EXCEEDED";
  const passes = isLimit || code === "OVERLOADED";
  const shown = details === undefined ? { refused: code } : { refused: code, problems: details as Json };
  return fail(
    isLimit ? "RATE_LIMITED" : passes ? "UPSTREAM_ERROR" : "VALIDATION_ERROR",
    `The action ${slug} was not run: ${message}`,
    {
      retryable: passes,
      details: shown,
      ...(passes && retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1000 }),
    },
  );
}

/** A run that another one waits for is over: has that one looked at, again and again until it has taken note of it. */
export async function tellParent(services: Services, { workspaceId, runId, owner }: DueRecord): Promise<void> {
  const parent = await services.store.findRun(workspaceId, owner);
  if (parent && !isTerminal(parent.status)) return services.resume({ id: parent.id, workspaceId });
  await services.store.removeDue({ runId, kind: "child_ended", owner });
}

/** Cancels the runs that a step, or the whole run, started and does not wait for any more. */
export async function endChildren(services: Services, { workspaceId, runId, owner }: DueRecord): Promise<void> {
  const { store } = services;
  const children = await store.listChildren(runId, owner === "" ? undefined : owner);
  for (const child of children) {
    if (!isTerminal(child.status)) await cancelOpen(services, workspaceId, child.runId);
    await store.removeDue({ runId: child.runId, kind: "child_ended", owner: runId });
  }
  await store.removeDue({ runId, kind: "end_children", owner });
}

async function cancelOpen(services: Services, workspaceId: number, runId: string): Promise<void> {
  const run = await services.store.findRun(workspaceId, runId);
  if (!run) return;
  try {
    await cancelRun(services, run);
  } catch (error) {
    // It ended by itself meanwhile.
    if (!(error instanceof ApiError)) throw error;
  }
}
