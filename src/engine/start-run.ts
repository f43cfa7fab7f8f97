import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { RunSource } from "../contract/run.ts";
import type { ActionRecord, NewRun, RunRecord } from "../store/store.ts";
import { isRecord } from "./json.ts";
import type { Services } from "./services.ts";

export type StartRun = {
  workspaceId: number;
  slug: string;
  userId: string;
  /** Anything but an object counts as an empty one (spec 4). */
  input: unknown;
  dryRun: boolean;
};

type Release = NonNullable<ActionRecord["release"]>;

/**
 * Creates a run of an action and wakes the worker once it is durable. Throws ACTION_NOT_FOUND, ACTION_UNAVAILABLE,
 * INPUT_VALIDATION_FAILED, RATE_LIMIT_EXCEEDED or OVERLOADED, in this order (contract 6), and nothing is stored then.
 */
export async function startRun(services: Services, request: StartRun): Promise<RunRecord> {
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
  const run = await createRun(services, newRun(services, request, action, release, checked.input));
  if (run.status === "accepted") services.wake(run);
  return run;
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
  { workspaceId, userId, dryRun }: StartRun,
  action: ActionRecord,
  release: Release,
  input: { [key: string]: Json },
): NewRun {
  const createdAt = world.now().getTime();
  const source: RunSource = dryRun ? "dry_run" : "action";
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
  };
}

async function createRun({ store, limits, world }: Services, run: NewRun): Promise<RunRecord> {
  const result = await store.createRun(run);
  switch (result.kind) {
    case "created":
      return result.run;
    case "hourly_cap": {
      const freeAt = result.oldestAt + 3_600_000;
      const seconds = Math.max(1, Math.ceil((freeAt - world.now().getTime()) / 1000));
      throw new ApiError("RATE_LIMIT_EXCEEDED", "Rate limit exceeded", {
        details: [{ limit: "runs_per_hour", maximum: limits.runsPerHour, retry_after_seconds: seconds }],
        retryAfterSeconds: seconds,
      });
    }
    case "overloaded":
      throw new ApiError("OVERLOADED", `${result.queued} accepted runs wait already; try again in a moment`, {
        retryAfterSeconds: 1,
      });
  }
}
