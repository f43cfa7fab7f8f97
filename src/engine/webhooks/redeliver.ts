import { ApiError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import type { NewDelivery, RunRecord, SubscriptionRecord } from "../../store/store.ts";
import { readInput } from "../execution/read-originals.ts";
import { GoneOriginalsError } from "../redaction/seal.ts";
import type { Services } from "../services.ts";
import { startTriggeredRun } from "../start-triggered-run.ts";
import { notedIdLength, respondsByNode } from "./receive-webhook.ts";

type Delivered = NonNullable<Awaited<ReturnType<Services["store"]["findDelivery"]>>>;

/**
 * Starts a run of the version that is deployed now with what came then, and notes it as a delivery of its own. Its
 * sender has its answer already, so nobody waits. One that started nothing then counts as the event's first: its sender's
 * next try starts nothing, and when that has come already, its run is returned. Throws NOT_FOUND; ACTION_UNAVAILABLE while the workflow is paused;
 * BAD_REQUEST for a request that was refused for good, or whose true values are gone.
 */
export async function redeliver(services: Services, workspaceId: number, deliveryId: string): Promise<RunRecord> {
  const { store, world } = services;
  const delivery = await store.findDelivery(workspaceId, deliveryId);
  if (!delivery) throw new ApiError("NOT_FOUND", `There is no delivery ${deliveryId.slice(0, 100)}`);
  const subscription = await requireListening(services, delivery.subscriptionId);
  const output = await readOutput(services, delivery);
  const again: NewDelivery = {
    id: world.newId(),
    subscriptionId: subscription.id,
    at: world.now().getTime(),
    status: 202,
    runId: null,
    reason: "redelivered",
    dedupId: delivery.dedupId,
    redeliveryOf: delivery.id,
    body: null,
    bytes: delivery.bytes,
    sealed: null,
  };
  return startUnawaited(services, subscription, {
    source: "webhook",
    output,
    delivery: again,
    dedupId: firstOf(delivery),
  });
}

/** What the sender calls the event, where no run was started for it yet; an id that was cut is not the sender's. */
function firstOf({ runId, dedupId }: Delivered): string | null {
  return runId === null && dedupId !== null && dedupId.length < notedIdLength ? dedupId : null;
}

/**
 * Starts a run for which no caller waits. In respond-node mode its node may answer all the same, into the void, so that
 * the workflow can be tried out.
 */
export async function startUnawaited(
  services: Services,
  subscription: SubscriptionRecord,
  start: { source: "webhook" | "test"; output: Json; delivery?: NewDelivery; userId?: string; dedupId?: string | null },
): Promise<RunRecord> {
  const responds = respondsByNode(subscription);
  const { run } = await startTriggeredRun(services, {
    ...start,
    subscription,
    http: {
      requestId: start.delivery?.id ?? services.world.newId(),
      handlerId: responds ? services.responses.handlerId : null,
    },
    onCreated: ({ id }) => responds && services.responses.open(id),
  });
  return run;
}

async function requireListening({ store }: Services, id: string): Promise<SubscriptionRecord> {
  const subscription = await store.findSubscription(id);
  if (!subscription || subscription.status === "archived") {
    throw new ApiError("NOT_FOUND", "The workflow of this delivery listens no longer");
  }
  if (subscription.status === "active") return subscription;
  const message = `The workflow ${subscription.workflowName} is paused; resume it with: stepgate triggers enable`;
  throw new ApiError("ACTION_UNAVAILABLE", message);
}

/** What came, as it came. */
async function readOutput(services: Services, { id, workspaceId, runId, sealed, reason }: Delivered): Promise<Json> {
  const run = runId === null ? null : await services.store.findRun(workspaceId, runId);
  try {
    if (sealed) return services.sealer.open(id, "input", sealed);
    if (run) return await readInput(services, run);
  } catch (error) {
    if (!(error instanceof GoneOriginalsError)) throw error;
    throw new ApiError("BAD_REQUEST", `The delivery can't be repeated: ${error.message}`);
  }
  const why = runId === null ? `it was refused (${reason ?? "for no reason"})` : "its run was deleted after its time";
  throw new ApiError("BAD_REQUEST", `The delivery can't be repeated: ${why}`);
}
