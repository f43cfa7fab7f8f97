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
export type RunRow = RunSummaryRow & { input: string; output: string | null; error: string | null };

/** Columns of `runs r` and its `runParents`, without the payloads. */
export const summaryColumns = `r.uuid AS id, r.workspace_id AS workspaceId, w.uuid AS workflowId, v.uuid AS versionId,
  v.version AS version, a.slug AS actionSlug, r.user_id AS userId, r.source AS source, r.status AS status,
  r.dry_run AS dryRun, r.epoch AS epoch, r.seq AS seq, r.crashes AS crashes, r.hold AS hold, r.active_ms AS activeMs,
  r.created_at AS createdAt, r.started_at AS startedAt, r.completed_at AS completedAt`;

export const runColumns = `${summaryColumns}, r.input AS input, r.output AS output, r.error AS error`;

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

export function decodeRun({ input, output, error, ...row }: RunRow): RunRecord {
  return {
    ...decodeSummary(row),
    input: JSON.parse(input),
    output: output === null ? null : JSON.parse(output),
    error: error === null ? null : JSON.parse(error),
  };
}

/** The record of a run that was just created. */
export function newRunRecord(input: NewRun): RunRecord {
  const { actionId: _action, hourlyCap: _cap, maxQueued: _bound, request: _request, ...run } = input;
  return { ...run, output: null, error: null, epoch: 0, seq: 0, crashes: 0, held: false, activeMs: 0, startedAt: null };
}
