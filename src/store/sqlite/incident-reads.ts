import type { Database } from "better-sqlite3";
import type { IncidentRecord } from "../store.ts";

type Filter = { workspaceId: number; isOpen?: boolean; limit: number };

/** Incidents of a workspace, newest first. */
export function prepareListIncidents(db: Database): (filter: Filter) => IncidentRecord[] {
  const list = db.prepare<[object], IncidentRecord>(
    `SELECT i.uuid AS id, i.workspace_id AS workspaceId, w.uuid AS workflowId, w.name AS workflowName,
       a.slug AS actionSlug, i.opened_at AS openedAt, i.closed_at AS closedAt, i.runs
     FROM incidents i JOIN workflows w ON w.id = i.workflow_id LEFT JOIN actions a ON a.workflow_id = w.id
     WHERE i.workspace_id = @workspaceId AND (@isOpen IS NULL OR (i.closed_at IS NULL) = @isOpen)
     ORDER BY i.id DESC LIMIT @limit`,
  );
  return ({ workspaceId, isOpen, limit }) =>
    list.all({ workspaceId, limit, isOpen: isOpen === undefined ? null : Number(isOpen) });
}
