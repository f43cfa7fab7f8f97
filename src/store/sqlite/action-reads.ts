import type { Database } from "better-sqlite3";
import { and, eq, isNull, sql, type SQL } from "drizzle-orm";
import { drizzle, type BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { ActionStatus } from "../../contract/action.ts";
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
  const bySlug = prepareActions(db, eq(actions.slug, p("slug")));
  return {
    listActions: (workspaceId, statuses) => all.all({ workspaceId }).filter(({ status }) => statuses.includes(status)),
    findAction: (workspaceId, slug) => bySlug.get({ workspaceId, slug }) ?? null,
  };
}

function prepareActions(db: BetterSQLite3Database, ...conditions: SQL[]) {
  return db
    .select(actionFields)
    .from(actions)
    .innerJoin(workflows, eq(workflows.id, actions.workflowId))
    .leftJoin(versions, and(eq(versions.workflowId, actions.workflowId), eq(versions.status, "deployed")))
    .where(and(eq(actions.workspaceId, p("workspaceId")), isNull(workflows.deletedAt), ...conditions))
    .orderBy(actions.slug)
    .prepare();
}
