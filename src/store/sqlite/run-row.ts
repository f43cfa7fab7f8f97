import type { NewRun, RunRecord, RunSummary } from "../store.ts";
import { holds, sourceCodes, statusCodes } from "./codes.ts";

/** A run as `summaryColumns` reads it. */
export type RunSummaryRow = Omit<RunSummary, "source" | "status" | "dryRun" | "held"> & {
  source: number;
  status: number;
  dryRun: number;
  hold: number;
};

/** A run as `runColumns` reads it; payloads are JSON texts. */
export type RunRow = RunSummaryRow & {
  input: string;
  output: string | null;
  error: string | null;
  marks: number;
  resumeFromRunId: string | null;
  traceparent: string | null;
  httpRequest: string | null;
  httpHandler: string | null;
};

/** Bits of `runs.marks` (migration 3). */
export const runMarks = { inputRedacted: 1, resultRedacted: 2 } as const;

/** Columns of `runs r` and its `runParents`, without the payloads. */
export const summaryColumns = `r.uuid AS id, r.workspace_id AS workspaceId, w.uuid AS workflowId, v.uuid AS versionId,
  v.version AS version, a.slug AS actionSlug, r.user_id AS userId, r.source AS source, r.status AS status,
  r.dry_run AS dryRun, r.epoch AS epoch, r.seq AS seq, r.crashes AS crashes, r.hold AS hold,
  (SELECT uuid FROM incidents WHERE id = r.incident_id) AS incidentId, r.active_ms AS activeMs,
  r.created_at AS createdAt, r.started_at AS startedAt, r.completed_at AS completedAt`;

export const runColumns = `${summaryColumns}, r.input AS input, r.output AS output, r.error AS error,
  r.marks AS marks, r.resume_from AS resumeFromRunId, r.traceparent AS traceparent, r.http_request AS httpRequest, r.http_handler AS httpHandler`;

/** What belongs to the runs `r`, to stand after them in a FROM. */
export const runParents = `JOIN versions v ON v.id = r.version_id JOIN workflows w ON w.id = v.workflow_id
  LEFT JOIN actions a ON a.id = r.action_id`;

export function decodeSummary({ hold, ...row }: RunSummaryRow): RunSummary {
  return {
    ...row,
    held: hold === holds.executor,
    source: sourceCodes.decode(row.source),
    status: statusCodes.decode(row.status),
    dryRun: row.dryRun === 1,
  };
}

export function decodeRun(found: RunRow): RunRecord {
  const { input, output, error, marks, resumeFromRunId, traceparent, httpRequest, httpHandler, ...row } = found;
  return {
    ...decodeSummary(row),
    traceparent,
    resumeFromRunId,
    isInputRedacted: (marks & runMarks.inputRedacted) !== 0,
    isResultRedacted: (marks & runMarks.resultRedacted) !== 0,
    http: httpRequest === null ? null : { requestId: httpRequest, handlerId: httpHandler },
    input: JSON.parse(input),
    output: output === null ? null : JSON.parse(output),
    error: error === null ? null : JSON.parse(error),
  };
}

/** The record of a run that was just created. */
export function newRunRecord(input: NewRun): RunRecord {
  const { actionId: _action, hourlyCap: _cap, maxQueued: _bound, request: _request, sealed, replay, ...rest } = input;
  const { monthlyQuota: _quota, idempotency: _idempotency, delivery: _delivery, error, http, ...started } = rest;
  const { slot: _slot, tellsPeople: _tells, parent: _parent, traceparent, ...run } = started;
  return {
    ...run,
    traceparent: traceparent ?? null,
    output: null,
    error: error ?? null,
    http: http ?? null,
    epoch: 0,
    seq: replay?.events.length ?? 0,
    crashes: 0,
    held: false,
    incidentId: null,
    activeMs: 0,
    startedAt: null,
    resumeFromRunId: replay?.of ?? null,
    isInputRedacted: isInputSealed(sealed),
    isResultRedacted: false,
  };
}

export function isInputSealed(sealed: NewRun["sealed"]): boolean {
  return sealed?.some(({ place }) => place === "input") ?? false;
}
