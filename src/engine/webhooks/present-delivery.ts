import type { DeliveryBody } from "../../contract/trigger.ts";
import type { DeliveryRecord, Store } from "../../store/store.ts";
import { isRecord } from "../values/json.ts";
import { cutBody } from "./logged-body.ts";

/** A delivery as people read it. The body of one that started a run is in the run's input, redacted as it is there. */
export async function presentDelivery(store: Store, delivery: DeliveryRecord): Promise<DeliveryBody> {
  return {
    id: delivery.id,
    subscription_id: delivery.subscriptionId,
    status: delivery.status,
    run_id: delivery.runId,
    reason: delivery.reason,
    dedup_id: delivery.dedupId,
    redelivery_of: delivery.redeliveryOf,
    bytes: delivery.bytes,
    body: delivery.body ?? (await bodyOfRun(store, delivery)),
    created_at: new Date(delivery.at).toISOString(),
  };
}

async function bodyOfRun(store: Store, { workspaceId, runId }: DeliveryRecord): Promise<string | null> {
  const run = runId === null ? null : await store.findRun(workspaceId, runId);
  if (!run || !isRecord(run.input) || run.input["body"] === undefined) return null;
  return cutBody(JSON.stringify(run.input["body"]));
}
