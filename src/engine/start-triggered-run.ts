import { createHash } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { RunError, RunSource } from "../contract/run.ts";
import type {
  CreateRunResult,
  HttpOrigin,
  NewDelivery,
  NewRun,
  NewSlot,
  RunRecord,
  SubscriptionRecord,
} from "../store/store.ts";
import { storeRun } from "./create-run.ts";
import { gateRun } from "./policy-gate.ts";
import type { Services } from "./services.ts";

export type TriggeredRun = {
  subscription: SubscriptionRecord;
  source: Extract<RunSource, "webhook" | "schedule" | "manual" | "test">;
  /** What `{{trigger.output}}` is in the run; stored as its input. */
  output: Json;
  /** Default: who published the workflow. */
  userId?: string;
  /** What the sender calls this event: the same within 24 hours starts nothing (contract 11). */
  dedupId?: string | null;
  http?: HttpOrigin;
  /** Noted with the run, under its id; not where the event was seen before. */
  delivery?: NewDelivery;
  /** The firing of a schedule that it is. */
  slot?: NewSlot;
  /** Called with the run before anything of it can happen; not where the event was seen before. */
  onCreated?(run: RunRecord): void;
};

/** `isRepeat`: the same event started this run before, and nothing was started now. */
export type TriggeredRunResult = { run: RunRecord; isRepeat: boolean };

/** The firing of a schedule was left out: it has taken place before, or the run of the one before is not over. */
export class FiringRefused extends Error {
  readonly reason: "slot_taken" | "overlap";

  constructor(reason: FiringRefused["reason"]) {
    super(`The firing was left out: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Starts a run of the deployed version of an event-driven workflow, durable when this settles. Whether the subscription
 * may fire is the caller's to ask: a test run of a paused one is fine. Over the hourly cap or the monthly quota the run
 * is stored `failed` without steps, counts nowhere, and nothing else happens (spec 7, contract 1, 12). Throws
 * NOT_FOUND when no version is deployed, OVERLOADED for the admission bound and FiringRefused for a slot that is not
 * free; then there is no run.
 */
export async function startTriggeredRun(services: Services, request: TriggeredRun): Promise<TriggeredRunResult> {
  const { subscription } = request;
  const { version } = subscription;
  if (!version) throw new ApiError("NOT_FOUND", `The workflow ${subscription.workflowName} has no deployed version`);
  const { approvalPolicy } = await services.versions.load(version.id);
  const wanted = gateRun(services, newRun(services, request, version), { approvalPolicy });
  const result = await storeRun(services, wanted);
  if (result.kind === "hourly_cap" || result.kind === "monthly_quota") {
    return storeFailed(services, request, version, limitError(services, result.kind));
  }
  if (result.kind === "repeated") {
    return { run: await findFirst(services, subscription, result.runId), isRepeat: true };
  }
  if (result.kind !== "created") throw refusalOf(request, result);
  request.onCreated?.(result.run);
  if (result.run.status === "accepted") services.wake(result.run);
  return { run: result.run, isRepeat: false };
}

/** Why there is no run. */
function refusalOf({ subscription, dedupId }: TriggeredRun, result: CreateRunResult): Error {
  if (result.kind === "overloaded") {
    const message = `${result.queued} accepted runs wait already; try again in a moment`;
    return new ApiError("OVERLOADED", message, { retryAfterSeconds: 1 });
  }
  if (result.kind === "slot_taken" || result.kind === "overlap") return new FiringRefused(result.kind);
  // Key and body are one digest here, and no run is above it.
  return new Error(`The event ${dedupId} of subscription ${subscription.id} conflicts with itself: ${result.kind}`);
}

/** The run that an event started in the last 24 hours; null when it is new. */
export async function findTriggeredRun(
  { store, world }: Services,
  subscription: SubscriptionRecord,
  dedupId: string,
): Promise<RunRecord | null> {
  const known = await store.findRepeat(digestEvent(subscription.id, dedupId), world.now().getTime());
  return known ? store.findRun(subscription.workspaceId, known.runId) : null;
}

/** The run as people see that the limit was hit: it is over before any step. */
async function storeFailed(
  services: Services,
  request: TriggeredRun,
  version: { id: string; number: number },
  error: RunError,
): Promise<TriggeredRunResult> {
  const run = newRun(services, request, version);
  const failed: NewRun = {
    ...run,
    status: "failed",
    error,
    completedAt: run.createdAt,
    hourlyCap: null,
    maxQueued: null,
  };
  const result: CreateRunResult = await storeRun(services, failed);
  if (result.kind === "repeated") {
    return { run: await findFirst(services, request.subscription, result.runId), isRepeat: true };
  }
  if (result.kind === "slot_taken" || result.kind === "overlap") throw new FiringRefused(result.kind);
  if (result.kind !== "created")
    throw new Error(`The run ${run.id}, which a limit failed, was refused: ${result.kind}`);
  request.onCreated?.(result.run);
  return { run: result.run, isRepeat: false };
}

/** The run of an event, not stored yet. */
export function newRun(
  { world, limits }: Services,
  { subscription, source, output, userId, dedupId, http, delivery, slot }: TriggeredRun,
  version: { id: string; number: number },
): NewRun {
  const createdAt = world.now().getTime();
  const id = world.newId();
  const digest = typeof dedupId === "string" ? digestEvent(subscription.id, dedupId) : null;
  return {
    id,
    workspaceId: subscription.workspaceId,
    workflowId: subscription.workflowId,
    versionId: version.id,
    version: version.number,
    actionId: null,
    actionSlug: null,
    userId: userId ?? subscription.userId,
    source,
    status: "accepted",
    input: output,
    dryRun: false,
    createdAt,
    completedAt: null,
    hourlyCap: limits.runsPerHour,
    maxQueued: limits.maxQueuedRuns,
    ...(digest && { idempotency: { id: digest, body: digest } }),
    ...(http && { http }),
    ...(slot && { slot }),
    ...(delivery && { delivery: { ...delivery, runId: id } }),
  };
}

async function findFirst({ store }: Services, { workspaceId }: SubscriptionRecord, runId: string): Promise<RunRecord> {
  const first = await store.findRun(workspaceId, runId);
  if (!first) throw new Error(`Run ${runId}, which a repeated event started, is gone`);
  return first;
}

/** Names an event within its subscription; apart from the digests of idempotency keys. */
function digestEvent(subscriptionId: string, dedupId: string): Uint8Array {
  return createHash("sha256")
    .update(JSON.stringify(["event", subscriptionId, dedupId]))
    .digest();
}

/** Why a run that a trigger started fails before any step; the first message is the contract's own (contract 12). */
export function limitError({ limits }: Services, limit: "hourly_cap" | "monthly_quota"): RunError {
  const code = "RATE_LIMITED";
  if (limit === "hourly_cap") {
    const maximum = limits.runsPerHour;
    const message = `Превышен лимит: не более ${maximum} запусков в час. Повторите позже.`;
    return { code, message, details: { limit: "runs_per_hour", maximum } };
  }
  const maximum = limits.monthlyRuns;
  const message = `The workspace has used up its ${maximum} runs of this month`;
  return { code, message, details: { limit: "monthly_quota", maximum } };
}
