import type { Database } from "better-sqlite3";
import type { BuildEnd, BuildRecord, ConnectorPart, ConnectorRecord, ConnectorStore, NewBuild } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export type ConnectorRemoval = { workspaceId: number; slug: string };

/** Ended builds that a workspace keeps. */
const keptBuilds = 100;

export function prepareCreateBuild(db: Database): (input: NewBuild) => Effect<null> {
  const insert = db.prepare(
    `INSERT INTO builds (uuid, workspace_id, slug, status, issues, operations, created_at)
     VALUES (@id, @workspaceId, @slug, 'queued', '[]', '[]', @at)`,
  );
  const keep = db.prepare("INSERT INTO build_sources (build_id, request, bytes) VALUES (?, ?, ?)");
  return ({ source, ...build }) => {
    const { lastInsertRowid } = insert.run(build);
    keep.run(lastInsertRowid, source.request, source.bytes);
    return answer(null);
  };
}

export function prepareStartBuild(db: Database): (input: { id: string }) => Effect<number> {
  const start = db.prepare<object, { attempts: number }>(
    `UPDATE builds SET status = 'running', attempts = attempts + 1
     WHERE uuid = @id AND status IN ('queued', 'running') RETURNING attempts`,
  );
  return (input) => answer(start.get(input)?.attempts ?? 0);
}

export function prepareFinishBuild(db: Database): (input: BuildEnd) => Effect<boolean> {
  const finish = db.prepare<object, { id: number }>(
    `UPDATE builds SET status = @status, slug = @slug, issues = @issues, operations = @operations, completed_at = @at
     WHERE uuid = @id AND status IN ('queued', 'running') RETURNING id`,
  );
  const forget = db.prepare("DELETE FROM build_sources WHERE build_id = ?");
  const prune = db.prepare(
    `DELETE FROM builds WHERE workspace_id = @workspaceId AND completed_at IS NOT NULL AND id <= (
       SELECT id FROM builds WHERE workspace_id = @workspaceId AND completed_at IS NOT NULL
       ORDER BY id DESC LIMIT 1 OFFSET ${keptBuilds})`,
  );
  const put = preparePutConnector(db);
  return (end) => {
    const { id, workspaceId, slug, issues, connector, at } = end;
    const operations = (connector?.parts ?? []).map(({ kind, key, name }) => ({ operation_id: key, kind, name }));
    const row = finish.get({
      id,
      slug,
      status: connector ? "succeeded" : "failed",
      issues: JSON.stringify(issues),
      operations: JSON.stringify(operations),
      at,
    });
    if (!row) return answer(false);
    forget.run(row.id);
    if (connector) put(end, connector);
    prune.run({ workspaceId });
    return answer(true);
  };
}

type NewParts = NonNullable<BuildEnd["connector"]>;

function preparePutConnector(db: Database): (end: BuildEnd, connector: NewParts) => void {
  const upsert = db.prepare<object, { id: number }>(
    `INSERT INTO connectors (workspace_id, slug, name, version, description, head, operations, triggers, build_uuid, built_at)
     VALUES (@workspaceId, @slug, @name, @version, @description, @head, @operations, @triggers, @buildId, @at)
     ON CONFLICT (workspace_id, slug) DO UPDATE SET name = excluded.name, version = excluded.version,
       description = excluded.description, head = excluded.head, operations = excluded.operations,
       triggers = excluded.triggers, build_uuid = excluded.build_uuid, built_at = excluded.built_at
     RETURNING id`,
  );
  const clear = db.prepare("DELETE FROM connector_parts WHERE connector_id = ?");
  const insert = db.prepare(
    `INSERT INTO connector_parts (connector_id, kind, key, name, description, document)
     VALUES (@connectorId, @kind, @key, @name, @description, @document)`,
  );
  return ({ id: buildId, workspaceId, at }, { parts, ...connector }) => {
    const operations = parts.filter(({ kind }) => kind === "action").length;
    const counts = { operations, triggers: parts.length - operations };
    const row = upsert.get({ ...connector, ...counts, buildId, workspaceId, at });
    if (!row) throw new Error(`The connector ${connector.slug} was not stored`);
    clear.run(row.id);
    for (const part of parts) insert.run({ connectorId: row.id, ...part });
  };
}

export function prepareRemoveConnector(db: Database): (input: ConnectorRemoval) => Effect<boolean> {
  const parts = db.prepare(
    `DELETE FROM connector_parts WHERE connector_id =
       (SELECT id FROM connectors WHERE workspace_id = @workspaceId AND slug = @slug)`,
  );
  const remove = db.prepare("DELETE FROM connectors WHERE workspace_id = @workspaceId AND slug = @slug");
  return (input) => {
    parts.run(input);
    return answer(remove.run(input).changes > 0);
  };
}

type Answer<Name extends keyof ConnectorStore> = Awaited<ReturnType<ConnectorStore[Name]>>;
type BuildRow = Omit<BuildRecord, "issues" | "operations"> & { issues: string; operations: string };

/** Reads of built connectors and of builds. */
export function prepareConnectorReads(db: Database) {
  const fields = "slug, name, version, description, operations, triggers, built_at AS builtAt";
  const list = db.prepare<[number], Answer<"listConnectors">[number]>(
    `SELECT ${fields} FROM connectors WHERE workspace_id = ? ORDER BY slug`,
  );
  const find = db.prepare<[number, string], Omit<ConnectorRecord, "parts"> & { id: number }>(
    `SELECT id, ${fields}, head, build_uuid AS buildId FROM connectors WHERE workspace_id = ? AND slug = ?`,
  );
  const parts = db.prepare<[number], ConnectorPart>(
    "SELECT kind, key, name, description, document FROM connector_parts WHERE connector_id = ? ORDER BY id",
  );
  const build = db.prepare<[number, string], BuildRow>(
    `SELECT uuid AS id, workspace_id AS workspaceId, slug, status, issues, operations, created_at AS createdAt,
       completed_at AS completedAt FROM builds WHERE workspace_id = ? AND uuid = ?`,
  );
  const open = db.prepare<[], Answer<"listOpenBuilds">[number]>(
    `SELECT uuid AS id, workspace_id AS workspaceId, slug FROM builds WHERE status IN ('queued', 'running') ORDER BY id`,
  );
  const source = db.prepare<[string], { request: string; bytes: Buffer }>(
    "SELECT s.request, s.bytes FROM build_sources s JOIN builds b ON b.id = s.build_id WHERE b.uuid = ?",
  );
  return {
    listConnectors: (workspaceId: number) => list.all(workspaceId),
    findConnector(workspaceId: number, slug: string): ConnectorRecord | null {
      const row = find.get(workspaceId, slug);
      if (!row) return null;
      const { id, ...connector } = row;
      return { ...connector, parts: parts.all(id) };
    },
    findBuild(workspaceId: number, id: string): BuildRecord | null {
      const row = build.get(workspaceId, id);
      return row ? { ...row, issues: JSON.parse(row.issues), operations: JSON.parse(row.operations) } : null;
    },
    listOpenBuilds: () => open.all(),
    readBuildSource: (id: string) => source.get(id) ?? null,
  };
}
