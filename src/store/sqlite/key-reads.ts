import type { Database } from "better-sqlite3";
import { desc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import type { KeyRecord, WorkspaceRecord } from "../store.ts";
import { keys, workspaces } from "./schema.ts";

export type KeyReads = {
  findWorkspace: (name: string) => WorkspaceRecord | null;
  getWorkspace: (id: number) => WorkspaceRecord | null;
  listWorkspaces: () => WorkspaceRecord[];
  listKeys: (workspaceId: number) => KeyRecord[];
  findKeysByPrefix: (prefix: string) => KeyRecord[];
};

const p = sql.placeholder;

const keyFields = {
  id: keys.uuid,
  workspaceId: keys.workspaceId,
  userId: keys.userId,
  name: keys.name,
  prefix: keys.prefix,
  salt: keys.salt,
  hash: keys.hash,
  scopes: keys.scopes,
  createdAt: keys.createdAt,
  expiresAt: keys.expiresAt,
  revokedAt: keys.revokedAt,
  lastUsedAt: keys.lastUsedAt,
};

/** Reads of workspaces and their keys. */
export function prepareKeyReads(connection: Database): KeyReads {
  const db = drizzle({ client: connection });
  const selectKeys = () => db.select(keyFields).from(keys);
  const workspaceByName = db
    .select()
    .from(workspaces)
    .where(eq(workspaces.name, p("name")))
    .prepare();
  const workspaceById = db
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, p("id")))
    .prepare();
  const byName = db.select().from(workspaces).orderBy(workspaces.name).prepare();
  const ofWorkspace = selectKeys()
    .where(eq(keys.workspaceId, p("workspaceId")))
    .orderBy(desc(keys.id))
    .prepare();
  const byPrefix = selectKeys()
    .where(eq(keys.prefix, p("prefix")))
    .orderBy(keys.id)
    .prepare();
  return {
    findWorkspace: (name) => workspaceByName.get({ name }) ?? null,
    getWorkspace: (id) => workspaceById.get({ id }) ?? null,
    listWorkspaces: () => byName.all(),
    listKeys: (workspaceId) => ofWorkspace.all({ workspaceId }),
    findKeysByPrefix: (prefix) => byPrefix.all({ prefix }),
  };
}
