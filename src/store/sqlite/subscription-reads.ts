import type { Database } from "better-sqlite3";
import type { SubscriptionRecord } from "../store.ts";

type Row = Omit<SubscriptionRecord, "config" | "version"> & {
  config: string;
  versionId: string | null;
  versionNumber: number | null;
};

export type SubscriptionReads = {
  findSubscription: (id: string) => SubscriptionRecord | null;
  findTrigger: (workspaceId: number, workflowId: string) => SubscriptionRecord | null;
  listSubscriptions: (workspaceId: number) => SubscriptionRecord[];
  listSchedules: () => SubscriptionRecord[];
  listConnectorTriggers: () => SubscriptionRecord[];
};

const select = `SELECT s.uuid AS id, s.workspace_id AS workspaceId, w.uuid AS workflowId, w.name AS workflowName, s.kind,
    s.status, s.config, s.user_id AS userId, s.activated_at AS activatedAt, s.changed_at AS changedAt,
    v.uuid AS versionId, v.version AS versionNumber
  FROM subscriptions s JOIN workflows w ON w.id = s.workflow_id
    LEFT JOIN versions v ON v.workflow_id = s.workflow_id AND v.status = 'deployed'`;

/** Reads of what workflows listen to. Every webhook begins with one, so the statements are plain. */
export function prepareSubscriptionReads(db: Database): SubscriptionReads {
  const byId = db.prepare<[string], Row>(`${select} WHERE s.uuid = +?`);
  const byWorkflow = db.prepare<[number, string], Row>(
    `${select} WHERE s.workspace_id = +? AND w.uuid = +? AND s.status <> 'archived'`,
  );
  const all = db.prepare<[number], Row>(
    `${select} WHERE s.workspace_id = +? AND s.status <> 'archived' ORDER BY w.name, w.id`,
  );
  const listening = db.prepare<[string], Row>(`${select} WHERE s.kind = ? AND s.status = 'active'`);
  return {
    listSchedules: () => listening.all("schedule").map(decodeRow),
    listConnectorTriggers: () => listening.all("connector").map(decodeRow),
    findSubscription: (id) => decode(byId.get(id)),
    findTrigger: (workspaceId, workflowId) => decode(byWorkflow.get(workspaceId, workflowId)),
    listSubscriptions: (workspaceId) => all.all(workspaceId).map(decodeRow),
  };
}

function decode(row: Row | undefined): SubscriptionRecord | null {
  return row ? decodeRow(row) : null;
}

function decodeRow({ config, versionId, versionNumber, ...row }: Row): SubscriptionRecord {
  const version = versionId === null || versionNumber === null ? null : { id: versionId, number: versionNumber };
  // Written by this store from an object.
  return { ...row, config: JSON.parse(config) as SubscriptionRecord["config"], version };
}
