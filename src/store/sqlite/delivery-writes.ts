import type { Database } from "better-sqlite3";
import type { NewDelivery, TriggerStore } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export type DeliveryBatch = Parameters<TriggerStore["saveDeliveries"]>[0];

/** Notes one request; one to a subscription that is gone is left out. */
export function prepareAddDelivery(db: Database): (delivery: NewDelivery) => void {
  const insert = db.prepare(
    `INSERT INTO deliveries (uuid, workspace_id, subscription_id, at, status, run_id, reason, dedup_id, redelivery_of,
       bytes, body, original)
     SELECT @id, workspace_id, id, @at, @status, @runId, @reason, @dedupId, @redeliveryOf, @bytes, @body, @sealed
     FROM subscriptions WHERE uuid = @subscriptionId`,
  );
  return (delivery) => void insert.run(delivery);
}

/** Notes requests, and what earlier ones were answered. */
export function prepareSaveDeliveries(db: Database): (batch: DeliveryBatch) => Effect<null> {
  const add = prepareAddDelivery(db);
  const update = db.prepare("UPDATE deliveries SET status = @status, reason = @reason WHERE uuid = @id");
  return ({ added, answered }) => {
    for (const delivery of added) add(delivery);
    for (const { id, status, reason } of answered) update.run({ id, status, reason });
    return answer(null);
  };
}

export type DeliveryExpiry = { before: number; limit: number };

export function prepareDeleteDeliveries(db: Database): (expiry: DeliveryExpiry) => Effect<number> {
  const remove = db.prepare<[number, number]>(
    "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE at < +? ORDER BY at LIMIT +?)",
  );
  return ({ before, limit }) => answer(remove.run(before, limit).changes);
}
