import type { Database } from "better-sqlite3";
import { and, eq, isNull, sql } from "drizzle-orm";
import { drizzle, type BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { ActionStatus } from "../../contract/action.ts";
import type { Json } from "../../contract/json.ts";
import type { ActionRecord } from "../store.ts";
import { actions, versions, workflows } from "./schema.ts";

export type ActionReads = {
  listActions: (workspaceId: number, statuses: readonly ActionStatus[]) => ActionRecord[];
  findAction: (workspaceId: number, slug: string) => ActionRecord | null;
};

const p = sql.placeholder;

const actionFields = {
  id: actions.id,
  workspaceId: actions.workspaceId,
  slug: actions.slug,
  name: actions.name,
  description: actions.description,
  status: actions.status,
  approvalPolicy: actions.approvalPolicy,
  workflowId: workflows.uuid,
  createdAt: actions.createdAt,
  updatedAt: actions.updatedAt,
  release: {
    id: versions.uuid,
    version: versions.version,
    publishedAt: versions.publishedAt,
    inputSchema: versions.inputSchema,
    outputSchema: versions.outputSchema,
  },
};

/** Reads of actions; a deleted workflow has none (contract 2). */
export function prepareActionReads(connection: Database): ActionReads {
  const db = drizzle({ client: connection });
  const all = prepareActions(db);
  const findAction = prepareFindAction(connection);
  return {
    listActions: (workspaceId, statuses) => all.all({ workspaceId }).filter(({ status }) => statuses.includes(status)),
    findAction,
  };
}

type FlatAction = Omit<ActionRecord, "release"> & {
  releaseId: string | null;
  version: number;
  publishedAt: number;
  inputSchema: string | null;
  outputSchema: string | null;
};

/**
 * Every run begins with this read, so it is a plain statement; a parameter written `+?` keeps SQLite from planning the
 * join anew for each value (it has STAT4).
 */
function prepareFindAction(connection: Database): ActionReads["findAction"] {
  const select = connection.prepare<[number, string], FlatAction>(
    `SELECT a.id, a.workspace_id AS workspaceId, a.slug, a.name, a.description, a.status,
       a.approval_policy AS approvalPolicy, w.uuid AS workflowId, a.created_at AS createdAt, a.updated_at AS updatedAt,
       v.uuid AS releaseId, v.version, v.published_at AS publishedAt,
       v.input_schema AS inputSchema, v.output_schema AS outputSchema
     FROM actions a JOIN workflows w ON w.id = a.workflow_id
     LEFT JOIN versions v ON v.workflow_id = a.workflow_id AND v.status = 'deployed'
     WHERE a.workspace_id = +? AND a.slug = +? AND w.deleted_at IS NULL`,
  );
  return (workspaceId, slug) => {
    const row = select.get(workspaceId, slug);
    if (!row) return null;
    const { releaseId, version, publishedAt, inputSchema, outputSchema, ...action } = row;
    const schemas = { inputSchema: readSchema(inputSchema), outputSchema: readSchema(outputSchema) };
    return { ...action, release: releaseId === null ? null : { id: releaseId, version, publishedAt, ...schemas } };
  };
}

function readSchema(text: string | null): { [key: string]: Json } | null {
  // Written by this store from an object.
  return text === null ? null : (JSON.parse(text) as { [key: string]: Json });
}

function prepareActions(db: BetterSQLite3Database) {
  return db
    .select(actionFields)
    .from(actions)
    .innerJoin(workflows, eq(workflows.id, actions.workflowId))
    .leftJoin(versions, and(eq(versions.workflowId, actions.workflowId), eq(versions.status, "deployed")))
    .where(and(eq(actions.workspaceId, p("workspaceId")), isNull(workflows.deletedAt)))
    .orderBy(actions.slug)
    .prepare();
}
