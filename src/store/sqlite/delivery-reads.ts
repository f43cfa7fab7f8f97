import type { Database } from "better-sqlite3";
import type { DeliveryFilter, DeliveryRecord } from "../store.ts";

export type DeliveryReads = {
  listDeliveries: (filter: DeliveryFilter) => DeliveryRecord[];
  findDelivery: (workspaceId: number, id: string) => (DeliveryRecord & { sealed: Uint8Array | null }) | null;
};

const columns = `d.uuid AS id, d.workspace_id AS workspaceId, s.uuid AS subscriptionId, d.at, d.status,
  d.run_id AS runId, d.reason, d.dedup_id AS dedupId, d.redelivery_of AS redeliveryOf, d.bytes, d.body`;
const tables = "deliveries d JOIN subscriptions s ON s.id = d.subscription_id";

/** Reads of what came to subscriptions. */
export function prepareDeliveryReads(db: Database): DeliveryReads {
  const find = db.prepare<[number, string], DeliveryRecord & { sealed: Uint8Array | null }>(
    `SELECT ${columns}, d.original AS sealed FROM ${tables} WHERE d.workspace_id = +? AND d.uuid = +?`,
  );
  const before = "d.id < COALESCE((SELECT id FROM deliveries WHERE uuid = @before), 9223372036854775807)";
  const ofWorkspace = db.prepare<[object], DeliveryRecord>(
    `SELECT ${columns} FROM ${tables} WHERE d.workspace_id = @workspaceId AND ${before}
     ORDER BY d.id DESC LIMIT @limit`,
  );
  const ofSubscription = db.prepare<[object], DeliveryRecord>(
    `SELECT ${columns} FROM ${tables}
     WHERE d.subscription_id = (SELECT id FROM subscriptions WHERE uuid = @subscriptionId)
       AND d.workspace_id = @workspaceId AND ${before}
     ORDER BY d.id DESC LIMIT @limit`,
  );
  return {
    findDelivery: (workspaceId, id) => find.get(workspaceId, id) ?? null,
    listDeliveries({ before: earlierThan = null, ...filter }) {
      const query = filter.subscriptionId === undefined ? ofWorkspace : ofSubscription;
      return query.all({ ...filter, before: earlierThan });
    },
  };
}
