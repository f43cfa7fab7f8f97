import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Json } from "../../contract/json.ts";
import type { ConnectionStatus, WebhookSecretStage } from "../store.ts";

/** The tables of what lies outside a run: connections, values, connectors, child runs and files; see schema.ts. */

export const connections = sqliteTable("connections", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  connector: text().notNull(),
  name: text().notNull(),
  settings: text({ mode: "json" }).$type<{ [key: string]: Json }>().notNull(),
  secrets: blob({ mode: "buffer" }).$type<Uint8Array>().notNull(),
  requireApproval: integer("require_approval").notNull(),
  status: text().$type<ConnectionStatus>().notNull(),
  revision: integer().notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  lastUsedAt: integer("last_used_at"),
});

export const variables = sqliteTable(
  "variables",
  {
    workspaceId: integer("workspace_id").notNull(),
    name: text().notNull(),
    value: text().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.name] })],
);

export const secrets = sqliteTable(
  "secrets",
  {
    workspaceId: integer("workspace_id").notNull(),
    name: text().notNull(),
    value: blob({ mode: "buffer" }).$type<Uint8Array>().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.name] })],
);

export const webhookSecrets = sqliteTable(
  "webhook_secrets",
  {
    workspaceId: integer("workspace_id").notNull(),
    workflowId: text("workflow_id").notNull(),
    stage: text().$type<WebhookSecretStage>().notNull(),
    content: blob({ mode: "buffer" }).$type<Uint8Array>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.workflowId, table.stage] })],
);

export const connectors = sqliteTable("connectors", {
  id: integer().primaryKey(),
  workspaceId: integer("workspace_id").notNull(),
  slug: text().notNull(),
  name: text().notNull(),
  version: text().notNull(),
  description: text().notNull(),
  head: text().notNull(),
  operations: integer().notNull(),
  triggers: integer().notNull(),
  buildUuid: text("build_uuid").notNull(),
  builtAt: integer("built_at").notNull(),
});

export const connectorParts = sqliteTable("connector_parts", {
  id: integer().primaryKey(),
  connectorId: integer("connector_id").notNull(),
  kind: text().notNull(),
  key: text().notNull(),
  name: text().notNull(),
  description: text().notNull(),
  document: text().notNull(),
});

export const builds = sqliteTable("builds", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  slug: text(),
  status: text().notNull(),
  issues: text().notNull(),
  operations: text().notNull(),
  createdAt: integer("created_at").notNull(),
  completedAt: integer("completed_at"),
  attempts: integer().notNull(),
});

export const buildSources = sqliteTable("build_sources", {
  buildId: integer("build_id").primaryKey(),
  request: text().notNull(),
  bytes: blob({ mode: "buffer" }).notNull(),
});

export const childRuns = sqliteTable("child_runs", {
  runId: integer("run_id").primaryKey(),
  parent: text().notNull(),
  step: text().notNull(),
  depth: integer().notNull(),
});

export const files = sqliteTable("files", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  digest: text().notNull(),
  name: text().notNull(),
  size: integer().notNull(),
  mime: text().notNull(),
  createdAt: integer("created_at").notNull(),
});

export const fileUses = sqliteTable(
  "file_uses",
  { runId: integer("run_id").notNull(), fileId: integer("file_id").notNull() },
  (table) => [primaryKey({ columns: [table.runId, table.fileId] })],
);
