import type { Database } from "better-sqlite3";
import type { Tier } from "../../contract/limits.ts";
import type { WorkspaceRecord } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export type WorkspaceInsert = { name: string; tier: Tier; at: number };
export type TierChange = { name: string; tier: Tier };

const columns = "id, name, tier, created_at AS createdAt";

/** Null when the name is taken. */
export function prepareCreateWorkspace(db: Database): (input: WorkspaceInsert) => Effect<WorkspaceRecord | null> {
  const insert = db.prepare<[WorkspaceInsert], WorkspaceRecord>(
    `INSERT INTO workspaces (name, tier, created_at) VALUES (@name, @tier, @at) ON CONFLICT (name) DO NOTHING
     RETURNING ${columns}`,
  );
  return (input) => answer(insert.get(input) ?? null);
}

/** Null when there is no such workspace. */
export function prepareSetTier(db: Database): (input: TierChange) => Effect<WorkspaceRecord | null> {
  const update = db.prepare<[TierChange], WorkspaceRecord>(
    `UPDATE workspaces SET tier = @tier WHERE name = @name RETURNING ${columns}`,
  );
  return (input) => answer(update.get(input) ?? null);
}
