import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { RunSource } from "../contract/run.ts";
import type { ActionRecord, NewRun, RunRecord } from "../store/store.ts";
import { createRun, repeatConflict } from "./create-run.ts";
import { isRecord } from "./values/json.ts";
import { digestRequest } from "./request-digest.ts";
import { gateRun } from "./policy-gate.ts";
import type { Services } from "./services.ts";

export type StartRun = {
  workspaceId: number;
  slug: string;
  userId: string;
  /** Anything but an object counts as an empty one (spec 4). */
  input: unknown;
  dryRun: boolean;
  /** Default `action`. */
  source?: "manual";
  /** The same key with the same request starts one run in 24 hours (contract 6). */
  idempotencyKey: string | null;
  /** The step that asks for it. */
  parent?: NewRun["parent"];
};

type Release = NonNullable<ActionRecord["release"]>;

/**
 * Creates a run of an action and wakes the worker once it is durable; a request that is repeated under its key gets the
 * run that it started. Throws IDEMPOTENCY_CONFLICT, ACTION_NOT_FOUND, ACTION_UNAVAILABLE, INPUT_VALIDATION_FAILED,
 * RATE_LIMIT_EXCEEDED or OVERLOADED, in this order (contract 6), and nothing is stored then.
 */
export async function startRun(services: Services, request: StartRun): Promise<{ run: RunRecord; isRepeat: boolean }> {
  const { idempotencyKey: key } = request;
  const idempotency = key === null ? null : digestRequest({ ...request, key });
  const started = idempotency && (await findStarted(services, request.workspaceId, idempotency));
  if (started) return { run: started, isRepeat: true };
  const action = await services.store.findAction(request.workspaceId, request.slug);
  if (!action) throw new ApiError("ACTION_NOT_FOUND", `No action has the slug ${request.slug}`);
  const release = availableRelease(action);
  const { checkInput } = await services.versions.load(release.id);
  const checked = checkInput(isRecord(request.input) ? (request.input as { [key: string]: Json }) : {});
  if (!checked.ok) {
    throw new ApiError("INPUT_VALIDATION_FAILED", `The input does not match the schema of ${action.slug}`, {
      details: checked.problems,
    });
  }
  const wanted = gateRun(services, newRun(services, request, action, release, checked.input), action);
  const run = await createRun(services, { ...wanted, ...(idempotency && { idempotency }) });
  // Of two that came at once, one was faster.
  if (run.id !== wanted.id) return { run, isRepeat: true };
  if (run.status === "accepted") services.wake(run);
  return { run, isRepeat: false };
}

/** The run that a request started before; looked for before anything that may have changed since. */
async function findStarted(
  { store, world }: Services,
  workspaceId: number,
  { id, body }: NonNullable<NewRun["idempotency"]>,
): Promise<RunRecord | null> {
  const known = await store.findRepeat(id, world.now().getTime());
  if (!known) return null;
  if (Buffer.compare(known.body, body) !== 0) throw repeatConflict();
  return store.findRun(workspaceId, known.runId);
}

function availableRelease(action: ActionRecord): Release {
  if (action.status !== "active") {
    throw new ApiError("ACTION_UNAVAILABLE", `The action ${action.slug} is ${action.status}`);
  }
  if (!action.release) throw new ApiError("ACTION_UNAVAILABLE", `The action ${action.slug} has no deployed version`);
  return action.release;
}

function newRun(
  { world, limits }: Services,
  { workspaceId, userId, dryRun, source: wanted, parent }: StartRun,
  action: ActionRecord,
  release: Release,
  input: { [key: string]: Json },
): NewRun {
  const createdAt = world.now().getTime();
  const source: RunSource = dryRun ? "dry_run" : (wanted ?? "action");
  return {
    id: world.newId(),
    workspaceId,
    workflowId: action.workflowId,
    versionId: release.id,
    version: release.version,
    actionId: action.id,
    actionSlug: action.slug,
    userId,
    source,
    status: dryRun ? "succeeded" : "accepted",
    input,
    dryRun,
    createdAt,
    completedAt: null,
    hourlyCap: dryRun ? null : limits.runsPerHour,
    maxQueued: dryRun ? null : limits.maxQueuedRuns,
    ...(parent && { parent }),
  };
}
