import type { Database } from "better-sqlite3";
import { and, desc, eq, isNull, sql, type SQL } from "drizzle-orm";
import { drizzle, type BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { DraftRecord, VersionRecord, WorkflowRecord, WorkflowStore, WorkflowSummary } from "../store.ts";
import { actions, drafts, versions, workflows } from "./schema.ts";

export type WorkflowReads = {
  findWorkflow: (...[workspaceId, by]: Parameters<WorkflowStore["findWorkflow"]>) => WorkflowRecord | null;
  findDeployedVersion: (workflowId: string) => VersionRecord | null;
  getVersion: (versionId: string) => VersionRecord | null;
  listVersions: (workflowId: string) => VersionLine[];
  findVersion: (workflowId: string, version: number) => VersionRecord | null;
  listWorkflows: (workspaceId: number) => WorkflowSummary[];
  findDraft: (workflowId: string) => DraftRecord | null;
};

type VersionLine = Pick<VersionRecord, "id" | "version" | "status" | "publishedAt">;

const p = sql.placeholder;

const workflowFields = {
  id: workflows.uuid,
  workspaceId: workflows.workspaceId,
  name: workflows.name,
  slug: actions.slug,
  type: workflows.type,
  description: workflows.description,
  sourcePath: workflows.sourcePath,
  createdAt: workflows.createdAt,
  updatedAt: workflows.updatedAt,
  deletedAt: workflows.deletedAt,
};

const versionFields = {
  id: versions.uuid,
  workflowId: workflows.uuid,
  version: versions.version,
  status: versions.status,
  definition: versions.definition,
  inputSchema: versions.inputSchema,
  outputSchema: versions.outputSchema,
  publishedAt: versions.publishedAt,
};

/** Reads of workflows and their versions. */
export function prepareWorkflowReads(connection: Database): WorkflowReads {
  const db = drizzle({ client: connection });
  const byId = prepareWorkflow(db, eq(workflows.uuid, p("id")));
  const bySlug = prepareWorkflow(db, eq(actions.slug, p("slug")));
  const byName = prepareWorkflow(db, eq(workflows.name, p("name")), eq(workflows.type, p("type")));
  const bySourcePath = prepareWorkflow(db, eq(workflows.sourcePath, p("sourcePath")));
  const deployed = prepareVersion(db, eq(workflows.uuid, p("id")), eq(versions.status, "deployed"));
  const version = prepareVersion(db, eq(versions.uuid, p("id")));
  const numbered = prepareVersion(db, eq(workflows.uuid, p("id")), eq(versions.version, p("version")));
  const lines = prepareVersionLines(db);
  const all = prepareWorkflows(db);
  const draft = prepareDraft(db);
  return {
    findWorkflow(workspaceId, by) {
      const query = "id" in by ? byId : "slug" in by ? bySlug : "name" in by ? byName : bySourcePath;
      return query.get({ workspaceId, ...by }) ?? null;
    },
    findDeployedVersion: (id) => deployed.get({ id }) ?? null,
    getVersion: (id) => version.get({ id }) ?? null,
    listVersions: (id) => lines.all({ id }),
    findVersion: (id, number) => numbered.get({ id, version: number }) ?? null,
    listWorkflows: (workspaceId) => all.all({ workspaceId }),
    findDraft: (id) => draft.get({ id }) ?? null,
  };
}

/** Of several that fit, one that is not deleted, and of those the one published last. */
function prepareWorkflow(db: BetterSQLite3Database, ...conditions: SQL[]) {
  return db
    .select(workflowFields)
    .from(workflows)
    .leftJoin(actions, eq(actions.workflowId, workflows.id))
    .where(and(eq(workflows.workspaceId, p("workspaceId")), ...conditions))
    .orderBy(desc(isNull(workflows.deletedAt)), desc(workflows.updatedAt), desc(workflows.id))
    .limit(1)
    .prepare();
}

function prepareVersion(db: BetterSQLite3Database, ...conditions: SQL[]) {
  return db
    .select(versionFields)
    .from(versions)
    .innerJoin(workflows, eq(workflows.id, versions.workflowId))
    .where(and(...conditions))
    .prepare();
}

function prepareVersionLines(db: BetterSQLite3Database) {
  const { id, version, status, publishedAt } = versionFields;
  return db
    .select({ id, version, status, publishedAt })
    .from(versions)
    .innerJoin(workflows, eq(workflows.id, versions.workflowId))
    .where(eq(workflows.uuid, p("id")))
    .orderBy(desc(versions.version))
    .prepare();
}

function prepareWorkflows(db: BetterSQLite3Database) {
  return db
    .select({ ...workflowFields, revision: drafts.revision, deployedVersion: versions.version })
    .from(workflows)
    .innerJoin(drafts, eq(drafts.workflowId, workflows.id))
    .leftJoin(actions, eq(actions.workflowId, workflows.id))
    .leftJoin(versions, and(eq(versions.workflowId, workflows.id), eq(versions.status, "deployed")))
    .where(and(eq(workflows.workspaceId, p("workspaceId")), isNull(workflows.deletedAt)))
    .orderBy(workflows.name, workflows.id)
    .prepare();
}

function prepareDraft(db: BetterSQLite3Database) {
  return db
    .select({ revision: drafts.revision, definition: drafts.definition })
    .from(drafts)
    .innerJoin(workflows, eq(workflows.id, drafts.workflowId))
    .where(eq(workflows.uuid, p("id")))
    .prepare();
}
