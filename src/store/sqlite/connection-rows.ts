import type { Database } from "better-sqlite3";
import type { ConnectionChange, ConnectionRecord, NewConnection } from "../store.ts";
import { answer, type Effect } from "./effect.ts";
import { prepareAddNotices } from "./notice-writes.ts";

export type ConnectionInsert = Omit<NewConnection, "settings" | "requireApproval"> & {
  settings: string;
  requireApproval: number;
};
export type ConnectionUpdate = Omit<ConnectionChange, "settings"> & { settings?: string };
export type ConnectionRemoval = { workspaceId: number; id: string };
export type ConnectionUse = { id: string; at: number };

type Row = Omit<ConnectionRecord, "settings" | "requireApproval"> & { settings: string; requireApproval: number };

/** False when the name is taken. */
export function prepareCreateConnection(db: Database): (input: ConnectionInsert) => Effect<boolean> {
  const insert = db.prepare(
    `INSERT INTO connections (uuid, workspace_id, connector, name, settings, secrets, require_approval, status, revision,
       created_at, updated_at)
     VALUES (@id, @workspaceId, @connector, @name, @settings, @secrets, @requireApproval, @status, 1, @createdAt, @createdAt)
     ON CONFLICT (workspace_id, name) DO NOTHING`,
  );
  return (input) => answer(insert.run(input).changes > 0);
}

type UpdateAnswer = "updated" | "missing" | "name_taken" | "changed";

export function prepareUpdateConnection(db: Database): (input: ConnectionUpdate) => Effect<UpdateAnswer> {
  const addNotices = prepareAddNotices(db);
  const find = db.prepare<[string, number], { revision: number; secrets: Buffer; status: string }>(
    "SELECT revision, secrets, status FROM connections WHERE uuid = ? AND workspace_id = ?",
  );
  const namesake = db.prepare<[number, string, string]>(
    "SELECT 1 FROM connections WHERE workspace_id = ? AND name = ? AND uuid <> ?",
  );
  const update = db.prepare(
    `UPDATE connections SET name = COALESCE(@name, name), settings = COALESCE(@settings, settings),
       secrets = COALESCE(@secrets, secrets), require_approval = COALESCE(@requireApproval, require_approval),
       status = COALESCE(@status, status), revision = revision + 1, updated_at = @at WHERE uuid = @id`,
  );
  return (change) => {
    const { id, workspaceId, seen, seenSecrets, name, status, at, tellsPeople } = change;
    const row = find.get(id, workspaceId);
    if (!row) return answer("missing");
    if (isOther(row, seen, seenSecrets)) return answer("changed");
    if (name !== undefined && namesake.get(workspaceId, name, id)) return answer("name_taken");
    update.run(columnsOf(change));
    if (tellsPeople && status === "needs_auth" && row.status !== status) {
      // No run stands behind it.
      addNotices({ runId: "", workspaceId, at }, [{ event: "connection.needs_auth", id }]);
    }
    return answer("updated");
  };
}

/** What stays as it is, is null. */
function columnsOf({ id, name, settings, secrets, requireApproval, status, at }: ConnectionUpdate): object {
  return {
    id,
    name: name ?? null,
    settings: settings ?? null,
    secrets: secrets ?? null,
    requireApproval: requireApproval === undefined ? null : Number(requireApproval),
    status: status ?? null,
    at,
  };
}

function isOther(
  row: { revision: number; secrets: Buffer },
  seen: number | undefined,
  seenSecrets: Uint8Array | undefined,
): boolean {
  if (seen !== undefined && seen !== row.revision) return true;
  return seenSecrets !== undefined && !row.secrets.equals(seenSecrets);
}

export function prepareRemoveConnection(db: Database): (input: ConnectionRemoval) => Effect<boolean> {
  const remove = db.prepare("DELETE FROM connections WHERE uuid = @id AND workspace_id = @workspaceId");
  return (input) => answer(remove.run(input).changes > 0);
}

export function prepareTouchConnection(db: Database): (input: ConnectionUse) => Effect<null> {
  const touch = db.prepare(
    "UPDATE connections SET last_used_at = MAX(COALESCE(last_used_at, @at), @at) WHERE uuid = @id",
  );
  return (input) => {
    touch.run(input);
    return answer(null);
  };
}

export function prepareListConnections(db: Database) {
  const select = db.prepare<{ workspaceId: number | null }, Row>(
    `SELECT uuid AS id, workspace_id AS workspaceId, connector, name, settings, secrets, require_approval AS requireApproval,
       status, revision, created_at AS createdAt, updated_at AS updatedAt, last_used_at AS lastUsedAt
     FROM connections WHERE @workspaceId IS NULL OR workspace_id = @workspaceId ORDER BY workspace_id, name`,
  );
  return (workspaceId: number | null): ConnectionRecord[] =>
    select.all({ workspaceId }).map((row) => ({
      ...row,
      settings: JSON.parse(row.settings),
      requireApproval: row.requireApproval === 1,
    }));
}
