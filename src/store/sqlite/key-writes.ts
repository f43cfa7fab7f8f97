import type { Database } from "better-sqlite3";
import type { KeyRecord } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export type KeyInsert = { key: KeyRecord; quota: number | null };
export type KeyRevocation = { workspaceId: number; id: string; at: number };
export type KeyRotation = { workspaceId: number; id: string; replacement: KeyRecord };
export type KeyUse = { id: string; at: number };

const insertSql = `INSERT INTO keys (uuid, workspace_id, user_id, name, prefix, salt, hash, scopes, created_at,
    expires_at, revoked_at, last_used_at)
  VALUES (@id, @workspaceId, @userId, @name, @prefix, @salt, @hash, @scopes, @createdAt, @expiresAt, @revokedAt,
    @lastUsedAt)`;

/** Adds a key, if the workspace has room for one more active key. */
export function prepareCreateKey(db: Database): (input: KeyInsert) => Effect<{ created: boolean; active: number }> {
  const countActive = db.prepare<[number, number], { n: number }>(
    `SELECT COUNT(*) AS n FROM keys
     WHERE workspace_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
  );
  const insert = db.prepare(insertSql);
  return ({ key, quota }) => {
    const active = () => countActive.get(key.workspaceId, key.createdAt)?.n ?? 0;
    if (quota !== null && active() >= quota) return answer({ created: false, active: active() });
    insert.run({ ...key, scopes: JSON.stringify(key.scopes) });
    return answer({ created: true, active: active() });
  };
}

/** Marks a key as revoked unless it is already; null when the workspace has no such key. */
export function prepareRevokeKey(db: Database): (input: KeyRevocation) => Effect<KeyRecord | null> {
  const revoke = db.prepare<[KeyRevocation], Omit<KeyRecord, "scopes"> & { scopes: string }>(
    `UPDATE keys SET revoked_at = COALESCE(revoked_at, @at) WHERE uuid = @id AND workspace_id = @workspaceId
     RETURNING uuid AS id, workspace_id AS workspaceId, user_id AS userId, name, prefix, salt, hash, scopes,
       created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt, last_used_at AS lastUsedAt`,
  );
  return (input) => {
    const row = revoke.get(input);
    if (!row) return answer(null);
    return answer({ ...row, scopes: JSON.parse(row.scopes) });
  };
}

/** Replaces an active key; false when it is not active. The number of active keys stays, so the quota does not matter. */
export function prepareRotateKey(db: Database): (input: KeyRotation) => Effect<boolean> {
  const revoke = db.prepare(
    `UPDATE keys SET revoked_at = @at WHERE uuid = @id AND workspace_id = @workspaceId AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > @at)`,
  );
  const insert = db.prepare(insertSql);
  return ({ workspaceId, id, replacement }) => {
    const { changes } = revoke.run({ workspaceId, id, at: replacement.createdAt });
    if (changes > 0) insert.run({ ...replacement, scopes: JSON.stringify(replacement.scopes) });
    return answer(changes > 0);
  };
}

/** Notes last uses; one that is older than what is noted changes nothing. */
export function prepareTouchKeys(db: Database): (uses: readonly KeyUse[]) => Effect<null> {
  const touch = db.prepare("UPDATE keys SET last_used_at = MAX(COALESCE(last_used_at, @at), @at) WHERE uuid = @id");
  return (uses) => {
    for (const use of uses) touch.run(use);
    return answer(null);
  };
}
