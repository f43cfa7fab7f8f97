import type { Action } from "../../../src/contract/action.ts";
import type { Approval } from "../../../src/contract/approval.ts";
import type { EventType, JournalEvent } from "../../../src/contract/journal.ts";
import type { RunDetail } from "../../../src/contract/run.ts";
import type { WatchedRun } from "../../../src/contract/run-watch.ts";
import type { WorkflowSummaryBody } from "../../../src/contract/workflow-api.ts";
import type { Size } from "../../../src/cli/ui/draw/frame.ts";
import { firstModel, type Message, type Model, type Place, type Start } from "../../../src/cli/ui/model/model.ts";
import type { Definition } from "../../../src/cli/ui/model/run.ts";
import { update } from "../../../src/cli/ui/model/update.ts";

/** What the tests of the terminal UI show: nothing in it is of today. */

export const now = Date.UTC(2026, 10, 21, 14, 2, 50);

function ago(seconds: number): string {
  return new Date(now - seconds * 1000).toISOString();
}

export const place: Place = {
  address: ":7717",
  version: "9.9.9",
  isLocal: true,
  canStart: true,
  canCopy: true,
  confirmBy: "id-prefix",
  isSpoken: false,
};

/** An id in the order of `n`, with a tail that people see. */
export function runId(n: number, tail = n.toString(16).padStart(8, "0")): string {
  return `019a0000-${n.toString(16).padStart(4, "0")}-7000-8000-0000${tail}`;
}

export function runRow(n: number, changes: Partial<WatchedRun> = {}): WatchedRun {
  return {
    run_id: runId(n),
    action_slug: "enrich-lead",
    source: "action",
    status: "succeeded",
    duration_ms: 1200,
    created_at: ago(4),
    version: 7,
    dry_run: false,
    started_at: ago(4),
    error_code: null,
    steps_done: 6,
    steps_total: 6,
    resume_at: null,
    approval_expires_at: null,
    ...changes,
  };
}

const open = { duration_ms: null };
export const gatedId = runId(7, "71be90d4");

export const rows: WatchedRun[] = [
  runRow(8, { run_id: runId(8, "9f3c1a02") }),
  runRow(7, {
    run_id: gatedId,
    action_slug: "sync-crm",
    status: "waiting_for_approval",
    source: "webhook",
    ...open,
    steps_done: 3,
    steps_total: 7,
    created_at: ago(38),
    approval_expires_at: ago(-3501),
  }),
  runRow(6, {
    run_id: runId(6, "5a0c77e1"),
    action_slug: "daily-digest",
    status: "running",
    source: "schedule",
    ...open,
    steps_done: 2,
    steps_total: 5,
    created_at: ago(51),
    started_at: ago(4),
  }),
  runRow(5, {
    run_id: runId(5, "c41d2b90"),
    action_slug: "sync-crm",
    status: "failed",
    source: "replay",
    duration_ms: 9800,
    error_code: "UPSTREAM_ERROR",
    steps_done: 4,
    steps_total: 7,
    created_at: ago(130),
  }),
  runRow(4, {
    run_id: runId(4, "0d9e63fa"),
    status: "waiting",
    ...open,
    steps_done: 1,
    steps_total: 3,
    created_at: ago(360),
    resume_at: ago(-1630),
  }),
  runRow(3, {
    run_id: runId(3, "8810fe2c"),
    status: "cancelled",
    source: "manual",
    duration_ms: 12_000,
    steps_done: 3,
    steps_total: 7,
    created_at: ago(540),
  }),
  runRow(2, {
    run_id: runId(2, "2b7d11c8"),
    action_slug: "日次ダイジェスト-daily-digest",
    status: "timed_out",
    source: "schedule",
    duration_ms: 300_000,
    error_code: "TIMEOUT",
    steps_done: 5,
    steps_total: 5,
    created_at: ago(3700),
  }),
  runRow(1, { run_id: runId(1, "6fa2084e"), source: "dry_run", duration_ms: 0, steps_done: 0, created_at: ago(3900) }),
];

export function approval(n: number, changes: Partial<Approval> = {}): Approval {
  return {
    id: `019a0000-${n.toString(16).padStart(4, "0")}-7000-9000-000000000000`,
    run_id: gatedId,
    action_slug: "sync-crm",
    step_id: "approve-write",
    iteration: null,
    status: "pending",
    inputs: { deal_id: 48213, stage: "negotiation", owner: "[REDACTED_EMAIL]" },
    redacted_count: 1,
    description: "Write deal stage back to CRM B",
    comment: null,
    user_id: null,
    decided_via: null,
    created_at: ago(30),
    expires_at: ago(-3501),
    decided_at: null,
    ...changes,
  };
}

export const approvals: Approval[] = [
  approval(7),
  approval(9, {
    run_id: runId(9, "e20b6c55"),
    action_slug: "refund-order",
    step_id: null,
    redacted_count: 0,
    expires_at: ago(-187),
    description: null,
  }),
];

export const definition: Definition = {
  nodes: ["trigger", "enrich", "score", "approve-write", "update-deal", "notify-only", "merge", "return"].map((id) => ({
    id,
    type: { trigger: "action_input", score: "condition", merge: "merge", return: "return_output" }[id] ?? "set",
    data: id === "approve-write" ? { requireApproval: true } : {},
  })),
  edges: [
    ["trigger", "enrich"],
    ["enrich", "score"],
    ["score", "approve-write", "true"],
    ["approve-write", "update-deal"],
    ["update-deal", "merge"],
    ["score", "notify-only", "false"],
    ["notify-only", "merge"],
    ["merge", "return"],
  ].map(([source = "", target = "", sourceHandle = "default"]) => ({
    id: `${source}-${target}`,
    source,
    target,
    sourceHandle,
    targetHandle: "default",
  })),
};

export function event(seq: number, type: EventType, step_id: string, more: Partial<JournalEvent> = {}): JournalEvent {
  return { seq, run_id: gatedId, type, step_id, iteration: null, attempt: 1, created_at: ago(30 - seq), ...more };
}

const payload = {
  deal_id: 48213,
  stage: "negotiation",
  owner: "[REDACTED_EMAIL]",
  history: Array.from({ length: 14 }, (_, n) => n),
  amount: 12_500,
};

export const events: JournalEvent[] = [
  event(1, "step_started", "enrich", { inputData: payload }),
  event(2, "step_completed", "enrich", { outputData: payload, durationMs: 840 }),
  event(3, "step_started", "score"),
  event(4, "step_completed", "score", { durationMs: 2 }),
  event(5, "step_skipped", "notify-only"),
  event(6, "step_pending_approval", "approve-write", { inputData: { text: "\u001b[8mhidden\u202e" } }),
];

export const detail: RunDetail = {
  run_id: gatedId,
  action_slug: "sync-crm",
  action_release_version: 7,
  source: "webhook",
  status: "waiting_for_approval",
  input: { deal_id: 48213 },
  output: null,
  error: null,
  steps: [],
  approval: approval(7),
  dry_run: false,
  started_at: ago(38),
  completed_at: null,
  duration_ms: null,
  created_at: ago(38),
  workflow_id: "019a0000-0000-7000-8000-0000000000aa",
  workflow_version_id: "019a0000-0000-7000-8000-0000000000ab",
  resume_from_run_id: null,
  parent_run_id: null,
  child_runs: [],
  incident_id: null,
  steps_total: 4,
  http_request_id: null,
  synchronous_handler_id: null,
};

export const actions: Action[] = ["hello", "enrich-lead", "refund-order"].map((slug, n) => ({
  slug,
  name: slug,
  description: n === 1 ? "Looks a lead up and scores it" : null,
  status: "active",
  inputSchema: {},
  outputSchema: null,
  approval_policy: n === 2 ? "always" : "never",
  workflow_id: `019a0000-0000-7000-8000-0000000000a${n}`,
  release: { version: n + 1, workflow_version_id: `019a0000-0000-7000-8000-0000000000b${n}`, published_at: ago(9) },
  created_at: ago(99),
  updated_at: ago(9),
}));

export const workflows: WorkflowSummaryBody[] = actions.map(({ slug, workflow_id }, n) => ({
  workflow_id,
  name: `Workflow ${slug}`,
  description: null,
  type: n === 1 ? "event_driven" : "callable",
  action_slug: n === 1 ? null : slug,
  revision: 1,
  deployed_version: n === 1 ? null : 3,
  created_at: ago(99),
  updated_at: ago(9),
}));

const live: Message[] = [
  { type: "daemon", version: "9.9.9", address: ":7717" },
  { type: "runs", runs: rows, total: 1204, isMore: false },
  { type: "connection", connection: { kind: "live" } },
  { type: "approvals", approvals },
  { type: "actions", actions },
  { type: "workflows", workflows },
];

/** A model that is connected, after these messages; a text is keys, one a character, or one named key in <>. */
export function modelAfter(
  said: readonly (Message | string)[],
  size: Size,
  given: { place?: Partial<Place>; start?: Start; empty?: boolean } = {},
): Model {
  const first = firstModel({ ...place, ...given.place }, size, now, given.start ?? { screen: "runs" });
  const before = given.empty ? [] : live;
  return [...before, ...said.flatMap((one) => (typeof one === "string" ? keysOf(one) : [one]))].reduce(
    (model, message) => update(model, message)[0],
    first,
  );
}

/** `jj<enter>x` as key messages. */
export function keysOf(text: string, at = now): Message[] {
  return [...text.matchAll(/<(?<name>[a-z-]+)>|(?<letter>.)/gsu)].map(({ groups }) => ({
    type: "key",
    key: groups?.["name"] ?? (groups?.["letter"] === " " ? "space" : (groups?.["letter"] ?? "")),
    at,
  }));
}
