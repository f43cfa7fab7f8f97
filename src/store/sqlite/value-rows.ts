import type { Database } from "better-sqlite3";
import type { NamedValue, NewValue } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

type ValueTable = "variables" | "secrets";
export type ValueRemoval = { workspaceId: number; name: string };

/** Sets a value, over an earlier one of its name. */
export function prepareSetValue<Value>(db: Database, table: ValueTable): (input: NewValue<Value>) => Effect<null> {
  const upsert = db.prepare(
    `INSERT INTO ${table} (workspace_id, name, value, created_at, updated_at) VALUES (@workspaceId, @name, @value, @at, @at)
     ON CONFLICT (workspace_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
  );
  return (input) => {
    upsert.run(input);
    return answer(null);
  };
}

/** False when there is none. */
export function prepareRemoveValue(db: Database, table: ValueTable): (input: ValueRemoval) => Effect<boolean> {
  const remove = db.prepare(`DELETE FROM ${table} WHERE workspace_id = @workspaceId AND name = @name`);
  return (input) => answer(remove.run(input).changes > 0);
}

/** By name; of all workspaces for null. */
export function prepareListValues<Value>(db: Database, table: ValueTable) {
  const select = db.prepare<{ workspaceId: number | null }, NamedValue<Value>>(
    `SELECT workspace_id AS workspaceId, name, value, created_at AS createdAt, updated_at AS updatedAt FROM ${table}
     WHERE @workspaceId IS NULL OR workspace_id = @workspaceId ORDER BY workspace_id, name`,
  );
  return (workspaceId: number | null): NamedValue<Value>[] => select.all({ workspaceId });
}
