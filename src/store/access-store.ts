import type { Tier } from "../contract/limits.ts";
import type { Scope } from "../contract/scopes.ts";

export type WorkspaceRecord = { id: number; name: string; tier: Tier; createdAt: number };

export type WorkspaceStore = {
  /** A fresh database holds `default`, tier `business` (contract 1). */
  findWorkspace(name: string): Promise<WorkspaceRecord | null>;
  getWorkspace(id: number): Promise<WorkspaceRecord | null>;
  /** By name. */
  listWorkspaces(): Promise<WorkspaceRecord[]>;
  /** Null when the name is taken. */
  createWorkspace(input: { name: string; tier: Tier; at: number }): Promise<WorkspaceRecord | null>;
  /** Null when there is no such workspace. */
  setTier(input: { name: string; tier: Tier }): Promise<WorkspaceRecord | null>;
};

export type KeyRecord = {
  id: string;
  workspaceId: number;
  userId: string;
  name: string;
  prefix: string;
  salt: Uint8Array;
  hash: Uint8Array;
  scopes: readonly Scope[];
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
};

export type KeyStore = {
  /**
   * Adds a key unless the workspace has `quota` active ones already (neither revoked nor expired at `createdAt`);
   * `quota` null is unlimited.
   */
  createKey(input: { key: KeyRecord; quota: number | null }): Promise<{ created: boolean; active: number }>;
  /** Newest first. */
  listKeys(workspaceId: number): Promise<KeyRecord[]>;
  /** All keys with this public prefix: several can share it. Revoked and expired ones too. */
  findKeysByPrefix(prefix: string): Promise<KeyRecord[]>;
  /** Revokes an active key; null when there is none with this id, the record as it was when it is revoked already. */
  revokeKey(input: { workspaceId: number; id: string; at: number }): Promise<KeyRecord | null>;
  /** Revokes an active key and adds its replacement at once, whatever the quota; false, and nothing done, without one. */
  rotateKey(input: { workspaceId: number; id: string; replacement: KeyRecord }): Promise<boolean>;
  /** Notes last uses; called now and then, not for each request. */
  touchKeys(uses: readonly { id: string; at: number }[]): Promise<void>;
};

/** Times of requests that a key's rate counts, in epoch milliseconds and parts of them. */
export type RateHits = { key: string; times: readonly number[] };

export type RateStore = {
  /** Adds what was counted since the last call; what no window of a minute before `at` holds is deleted. */
  saveHits(batch: { at: number; hits: readonly RateHits[] }): Promise<void>;
  /** What was saved after `since`, oldest first. */
  readHits(since: number): Promise<RateHits[]>;
};
