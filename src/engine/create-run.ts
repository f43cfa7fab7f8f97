import { ApiError } from "../contract/errors.ts";
import { maxRunDepth } from "../contract/limits.ts";
import type { CreateRunResult, NewRun, RunRecord } from "../store/store.ts";
import { redactEvent, redactPayloads } from "./redaction/seal-payload.ts";
import type { Services } from "./services.ts";

/**
 * Stores a new run with its payloads redacted, and the originals sealed; returns it as it is stored. Throws
 * IDEMPOTENCY_CONFLICT, RATE_LIMIT_EXCEEDED for the hourly cap and the monthly quota, and OVERLOADED for the admission
 * bound (contract 6). A request that was served before gets the run that it started, under an id of its own.
 */
export async function createRun(services: Services, run: NewRun): Promise<RunRecord> {
  const { limits, world } = services;
  const result = await storeRun(services, run);
  switch (result.kind) {
    case "created":
      return result.run;
    case "hourly_cap": {
      const freeAt = result.oldestAt + 3_600_000;
      const seconds = Math.max(1, Math.ceil((freeAt - world.now().getTime()) / 1000));
      throw new ApiError("RATE_LIMIT_EXCEEDED", "Rate limit exceeded", {
        details: [{ limit: "runs_per_hour", retry_after_seconds: seconds }],
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
    case "slot_taken":
    case "overlap":
      throw new Error(`Run ${run.id} of a schedule was not created: its firing is taken`);
    case "parent_over":
      throw new ApiError("CONFLICT", "The run whose step asks for it is over");
    case "too_deep":
      throw new ApiError("BAD_REQUEST", `Runs may start each other ${maxRunDepth} deep, and no deeper`);
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

/** As `createRun`, for callers who do something else about a refusal than to tell it. */
export async function storeRun(services: Services, run: NewRun): Promise<CreateRunResult> {
  return services.store.createRun(completeRun(services, run));
}

/** A new run as the store takes it: redacted, with what counts for every run. */
export function completeRun(services: Services, run: NewRun): NewRun {
  // What the hourly cap does not concern, the quota does not either.
  const monthlyQuota = run.hourlyCap === null ? null : services.limits.monthlyRuns;
  const { tellsPeople } = services;
  const traceparent = services.traceparent();
  return { ...redactNewRun(services, run), monthlyQuota, traceparent, tellsPeople };
}

function redactNewRun({ sealer, values }: Services, run: NewRun): NewRun {
  const redactor = { sealer, known: values.known(run.workspaceId) };
  const { payloads, sealed } = redactPayloads(redactor, run.id, "input", { input: run.input });
  const events = (run.replay?.events ?? []).map((event, index) => redactEvent(redactor, run.id, index + 1, event));
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
