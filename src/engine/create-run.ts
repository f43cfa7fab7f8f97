import { ApiError } from "../contract/errors.ts";
import type { NewRun, RunRecord } from "../store/store.ts";
import { redactEvent, redactPayloads } from "./redaction/seal-payload.ts";
import type { Services } from "./services.ts";

/**
 * Stores a new run with its payloads redacted, and the originals sealed; returns it as it is stored. Throws
 * IDEMPOTENCY_CONFLICT, RATE_LIMIT_EXCEEDED for the hourly cap and the monthly quota, and OVERLOADED for the admission
 * bound (contract 6). A request that was served before gets the run that it started, under an id of its own.
 */
export async function createRun(services: Services, run: NewRun): Promise<RunRecord> {
  const { limits, world } = services;
  // What the hourly cap does not concern, the quota does not either.
  const monthlyQuota = run.hourlyCap === null ? null : limits.monthlyRuns;
  const result = await services.store.createRun({ ...redactNewRun(services, run), monthlyQuota });
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
    case "monthly_quota": {
      const seconds = secondsToNextMonth(run.createdAt);
      throw new ApiError("RATE_LIMIT_EXCEEDED", "Rate limit exceeded", {
        details: [{ limit: "monthly_quota", maximum: limits.monthlyRuns, retry_after_seconds: seconds }],
        retryAfterSeconds: seconds,
      });
    }
    case "repeated":
      return firstRun(services, run, result.runId);
    case "idempotency_conflict":
      throw repeatConflict();
    case "overloaded":
      throw new ApiError("OVERLOADED", `${result.queued} accepted runs wait already; try again in a moment`, {
        retryAfterSeconds: 1,
      });
  }
}

function redactNewRun({ sealer }: Services, run: NewRun): NewRun {
  const { payloads, sealed } = redactPayloads(sealer, run.id, "input", { input: run.input });
  const events = (run.replay?.events ?? []).map((event, index) => redactEvent(sealer, run.id, index + 1, event));
  return {
    ...run,
    ...payloads,
    sealed: [...sealed, ...events.flatMap((redacted) => redacted.sealed)],
    ...(run.replay && { replay: { ...run.replay, events: events.map(({ event }) => event) } }),
  };
}

async function firstRun({ store }: Services, { workspaceId }: NewRun, runId: string): Promise<RunRecord> {
  const first = await store.findRun(workspaceId, runId);
  if (!first) throw new Error(`Run ${runId}, which a repeated request started, is gone`);
  return first;
}

/** A key came back with another request. */
export function repeatConflict(): ApiError {
  const message = "The idempotency key was used for another request to this action in the last 24 hours";
  return new ApiError("IDEMPOTENCY_CONFLICT", message);
}

function secondsToNextMonth(at: number): number {
  const date = new Date(at);
  return Math.max(1, Math.ceil((Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - at) / 1000));
}
