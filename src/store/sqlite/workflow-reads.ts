import type { Database } from "better-sqlite3";
import { and, desc, eq, isNull, sql, type SQL } from "drizzle-orm";
import { drizzle, type BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { VersionRecord, WorkflowRecord, WorkflowStore } from "../store.ts";
import { actions, versions, workflows } from "./schema.ts";

export type WorkflowReads = {
  findWorkflow: (...[workspaceId, by]: Parameters<WorkflowStore["findWorkflow"]>) => WorkflowRecord | null;
  findDeployedVersion: (workflowId: string) => VersionRecord | null;
  getVersion: (versionId: string) => VersionRecord | null;
};

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
  return {
    findWorkflow(workspaceId, by) {
      const query = "id" in by ? byId : "slug" in by ? bySlug : "name" in by ? byName : bySourcePath;
      return query.get({ workspaceId, ...by }) ?? null;
    },
    findDeployedVersion: (id) => deployed.get({ id }) ?? null,
    getVersion: (id) => version.get({ id }) ?? null,
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
