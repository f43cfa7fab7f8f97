import { blob, customType, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ActionStatus, ApprovalPolicy } from "../../contract/action.ts";
import type { ApprovalStatus, DecidedVia } from "../../contract/approval.ts";
import type { EventType } from "../../contract/journal.ts";
import type { Json } from "../../contract/json.ts";
import type { Tier } from "../../contract/limits.ts";
import type { Iteration, RunError, RunSource, RunStatus } from "../../contract/run.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { WorkflowDefinition, WorkflowType } from "../../contract/workflow.ts";
import type { DueKind, FreeMomentKind, Notice, SubscriptionStatus, TriggerKind } from "../store.ts";
import { eventCodes, sourceCodes, statusCodes, type Codes } from "./codes.ts";

export * from "./outside-tables.ts";

/**
 * The tables as drizzle's queries see them; `migrations/` makes them and says why they are so, and a test holds the two
 * equal. Here `id` is the integer inside, `uuid` the id outside.
 */

function coded<W extends string>(codes: Codes<W>) {
  return customType<{ data: W; driverData: number }>({
    dataType: () => "integer",
    toDriver: codes.encode,
    fromDriver: codes.decode,
  });
}

const status = coded<RunStatus>(statusCodes);
const source = coded<RunSource>(sourceCodes);
const eventType = coded<EventType>(eventCodes);

export const migrations = sqliteTable("migrations", {
  version: integer().primaryKey(),
  name: text().notNull(),
  appliedAt: integer("applied_at").notNull(),
});

export const workspaces = sqliteTable("workspaces", {
  id: integer().primaryKey(),
  name: text().notNull(),
  tier: text().$type<Tier>().notNull(),
  createdAt: integer("created_at").notNull(),
});

export const keys = sqliteTable("keys", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  userId: text("user_id").notNull(),
  name: text().notNull(),
  prefix: text().notNull(),
  salt: blob({ mode: "buffer" }).$type<Uint8Array>().notNull(),
  hash: blob({ mode: "buffer" }).$type<Uint8Array>().notNull(),
  scopes: text({ mode: "json" }).$type<readonly Scope[]>().notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  revokedAt: integer("revoked_at"),
  lastUsedAt: integer("last_used_at"),
});

export const workflows = sqliteTable("workflows", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  name: text().notNull(),
  type: text().$type<WorkflowType>().notNull(),
  description: text(),
  sourcePath: text("source_path"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  deletedAt: integer("deleted_at"),
});

export const versions = sqliteTable("versions", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workflowId: integer("workflow_id").notNull(),
  version: integer().notNull(),
  status: text().$type<"deployed" | "archived">().notNull(),
  publishedAt: integer("published_at").notNull(),
  definition: text({ mode: "json" }).$type<WorkflowDefinition>().notNull(),
  inputSchema: text("input_schema", { mode: "json" }).$type<{ [key: string]: Json }>(),
  outputSchema: text("output_schema", { mode: "json" }).$type<{ [key: string]: Json }>(),
});

export const drafts = sqliteTable("drafts", {
  workflowId: integer("workflow_id").primaryKey(),
  revision: integer().notNull(),
  definition: text({ mode: "json" }).$type<WorkflowDefinition>().notNull(),
});

export const actions = sqliteTable("actions", {
  id: integer().primaryKey(),
  workspaceId: integer("workspace_id").notNull(),
  slug: text().notNull(),
  name: text().notNull(),
  description: text(),
  status: text().$type<ActionStatus>().notNull(),
  approvalPolicy: text("approval_policy").$type<ApprovalPolicy>().notNull(),
  workflowId: integer("workflow_id").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const runs = sqliteTable("runs", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  versionId: integer("version_id").notNull(),
  actionId: integer("action_id"),
  userId: text("user_id").notNull(),
  userSeq: integer("user_seq"),
  source: source().notNull(),
  status: status().notNull(),
  dryRun: integer("dry_run", { mode: "boolean" }).notNull(),
  epoch: integer().notNull(),
  seq: integer().notNull(),
  crashes: integer().notNull(),
  activeMs: real("active_ms").notNull(),
  createdAt: integer("created_at").notNull(),
  startedAt: integer("started_at"),
  completedAt: integer("completed_at"),
  input: text({ mode: "json" }).$type<Json>().notNull(),
  output: text({ mode: "json" }).$type<Json>(),
  error: text({ mode: "json" }).$type<RunError>(),
  hold: integer().notNull(),
  incidentId: integer("incident_id"),
  marks: integer().notNull(),
  resumeFrom: text("resume_from"),
  httpRequest: text("http_request"),
  httpHandler: text("http_handler"),
  traceparent: text(),
});

export const subscriptions = sqliteTable("subscriptions", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  workflowId: integer("workflow_id").notNull(),
  kind: text().$type<TriggerKind>().notNull(),
  status: text().$type<SubscriptionStatus>().notNull(),
  config: text({ mode: "json" }).$type<{ [key: string]: Json }>().notNull(),
  userId: text("user_id").notNull(),
  activatedAt: integer("activated_at").notNull(),
  changedAt: integer("changed_at").notNull(),
});

export const deliveries = sqliteTable("deliveries", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  subscriptionId: integer("subscription_id").notNull(),
  at: integer().notNull(),
  status: integer(),
  runId: text("run_id"),
  reason: text(),
  dedupId: text("dedup_id"),
  redeliveryOf: text("redelivery_of"),
  bytes: integer().notNull(),
  body: text(),
  original: blob({ mode: "buffer" }).$type<Uint8Array>(),
});

export const journal = sqliteTable("journal", {
  id: integer().primaryKey(),
  type: eventType().notNull(),
  stepId: text("step_id").notNull(),
  iteration: text({ mode: "json" }).$type<NonNullable<Iteration>>(),
  attempt: integer().notNull(),
  durationMs: real("duration_ms"),
  createdAt: integer("created_at").notNull(),
  input: text({ mode: "json" }).$type<Json>(),
  output: text({ mode: "json" }).$type<Json>(),
  error: text({ mode: "json" }).$type<RunError>(),
  marks: integer().notNull(),
});

export const sealed = sqliteTable("sealed", {
  id: integer().primaryKey(),
  content: blob({ mode: "buffer" }).$type<Uint8Array>().notNull(),
});

export const runCounts = sqliteTable(
  "run_counts",
  {
    status: status().notNull(),
    workspaceId: integer("workspace_id").notNull(),
    actionId: integer("action_id").notNull(),
    source: source().notNull(),
    n: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.status, table.workspaceId, table.actionId, table.source] })],
);

export const idempotency = sqliteTable("idempotency", {
  id: blob({ mode: "buffer" }).$type<Uint8Array>().primaryKey(),
  body: blob({ mode: "buffer" }).$type<Uint8Array>().notNull(),
  runId: integer("run_id").notNull(),
  createdAt: integer("created_at").notNull(),
});

export const monthlyRuns = sqliteTable(
  "monthly_runs",
  {
    workspaceId: integer("workspace_id").notNull(),
    month: integer().notNull(),
    n: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.month] })],
);

export const rateHits = sqliteTable("rate_hits", {
  id: integer().primaryKey(),
  savedAt: integer("saved_at").notNull(),
  key: text().notNull(),
  times: blob({ mode: "buffer" }).$type<Uint8Array>().notNull(),
});

export const breakers = sqliteTable(
  "breakers",
  {
    workspaceId: integer("workspace_id").notNull(),
    connector: text().notNull(),
    connectionId: text("connection_id").notNull(),
    target: text().notNull(),
    failures: text({ mode: "json" }).$type<number[]>().notNull(),
    openedAt: integer("opened_at"),
    openings: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.connector, table.connectionId, table.target] })],
);

export const runLog = sqliteTable(
  "run_log",
  {
    runId: integer("run_id").notNull(),
    seq: integer().notNull(),
    stepId: text("step_id").notNull(),
    iteration: text({ mode: "json" }).$type<NonNullable<Iteration>>(),
    attempt: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    bytes: integer().notNull(),
    text: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.seq] })],
);

export const due = sqliteTable("due", {
  id: integer().primaryKey(),
  at: integer().notNull(),
  kind: text().$type<DueKind | FreeMomentKind>().notNull(),
  runId: integer("run_id"),
  owner: text().notNull(),
  detail: text({ mode: "json" }).$type<Json>(),
});

export const slots = sqliteTable(
  "slots",
  {
    subscriptionId: integer("subscription_id").notNull(),
    at: integer().notNull(),
    runId: text("run_id"),
  },
  (table) => [primaryKey({ columns: [table.subscriptionId, table.at] })],
);

export const polls = sqliteTable("polls", {
  subscriptionId: integer("subscription_id").primaryKey(),
  source: text().notNull(),
  cursor: text({ mode: "json" }).$type<Json>(),
  triedAt: integer("tried_at").notNull(),
  polledAt: integer("polled_at"),
  error: text({ mode: "json" }).$type<RunError>(),
  failures: integer().notNull(),
  revision: integer().notNull(),
});

export const seenEvents = sqliteTable(
  "seen_events",
  {
    subscriptionId: integer("subscription_id").notNull(),
    event: blob({ mode: "buffer" }).notNull(),
    at: integer().notNull(),
    runId: text("run_id"),
  },
  (table) => [primaryKey({ columns: [table.subscriptionId, table.event] })],
);

export const notices = sqliteTable("notices", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  runId: text("run_id").notNull(),
  event: text().$type<Notice["event"]>().notNull(),
  subject: text().notNull(),
  createdAt: integer("created_at").notNull(),
  tries: integer().notNull(),
  told: text({ mode: "json" }).$type<readonly string[]>().notNull(),
});

export const approvals = sqliteTable("approvals", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  runId: integer("run_id").notNull(),
  stepId: text("step_id"),
  iteration: text({ mode: "json" }).$type<NonNullable<Iteration>>(),
  status: text().$type<ApprovalStatus>().notNull(),
  redactedCount: integer("redacted_count").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  decidedAt: integer("decided_at"),
  userId: text("user_id"),
  decidedVia: text("decided_via").$type<DecidedVia>(),
  comment: text(),
  description: text(),
  inputs: text({ mode: "json" }).$type<Json>().notNull(),
});

export const audit = sqliteTable("audit", {
  id: integer().primaryKey(),
  workspaceId: integer("workspace_id").notNull(),
  event: text().notNull(),
  decision: text(),
  runId: text("run_id"),
  approvalId: text("approval_id"),
  userId: text("user_id"),
  decidedVia: text("decided_via").$type<DecidedVia>(),
  comment: text(),
  createdAt: integer("created_at").notNull(),
});

export const incidents = sqliteTable("incidents", {
  id: integer().primaryKey(),
  uuid: text().notNull(),
  workspaceId: integer("workspace_id").notNull(),
  workflowId: integer("workflow_id").notNull(),
  openedAt: integer("opened_at").notNull(),
  closedAt: integer("closed_at"),
  runs: integer().notNull(),
  streak: integer().notNull(),
});
