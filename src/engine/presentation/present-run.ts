import type { Approval } from "../../contract/approval.ts";
import type { JournalEvent } from "../../contract/journal.ts";
import type { Run, RunDetail, RunRow } from "../../contract/run.ts";
import type { ChildRun, EventRecord, ParentRun, RunRecord, RunSummary } from "../../store/store.ts";
import { isoTime } from "./present-time.ts";
import type { Timeline } from "../graph/timeline.ts";

/** A run as its creation returns it (spec 2.5): no steps yet. */
export function presentRun(run: RunRecord, approval: Approval | null = null): Run {
  return {
    run_id: run.id,
    action_slug: run.actionSlug,
    action_release_version: run.version,
    source: run.source,
    status: run.status,
    input: run.input,
    output: run.output,
    error: run.error,
    steps: [],
    approval,
    dry_run: run.dryRun,
    started_at: isoTime(run.startedAt),
    completed_at: isoTime(run.completedAt),
    duration_ms: durationOf(run),
    created_at: new Date(run.createdAt).toISOString(),
  };
}

/** What started a run, and what its steps started. */
export type RunKin = { parent: ParentRun | null; children: readonly ChildRun[] };

/** A run as reading it returns it, with its steps so far (contract 6). */
export function presentDetail(
  run: RunRecord,
  timeline: Timeline,
  approval: Approval | null,
  { parent, children }: RunKin = { parent: null, children: [] },
): RunDetail {
  return {
    ...presentRun(run, approval),
    workflow_id: run.workflowId,
    workflow_version_id: run.versionId,
    resume_from_run_id: run.resumeFromRunId,
    incident_id: run.incidentId,
    parent_run_id: parent?.runId ?? null,
    child_runs: children.map(({ runId, step, status }) => ({ run_id: runId, step, status })),
    steps: timeline.steps(),
    steps_total: timeline.total(),
    http_request_id: run.http?.requestId ?? null,
    synchronous_handler_id: run.http?.handlerId ?? null,
  };
}

/** A row of the list of runs (spec 2.5). */
export function presentRow(run: RunSummary): RunRow {
  return {
    run_id: run.id,
    action_slug: run.actionSlug,
    source: run.source,
    status: run.status,
    duration_ms: durationOf(run),
    created_at: new Date(run.createdAt).toISOString(),
  };
}

/** A journal event as callers read it (contract 6): payload fields that it does not have are absent. */
export function presentEvent(runId: string, event: EventRecord): JournalEvent {
  return {
    seq: event.seq,
    run_id: runId,
    type: event.type,
    step_id: event.stepId,
    iteration: event.iteration,
    attempt: event.attempt,
    ...(event.inputData === undefined ? {} : { inputData: event.inputData }),
    ...(event.outputData === undefined ? {} : { outputData: event.outputData }),
    ...(event.durationMs === undefined ? {} : { durationMs: event.durationMs }),
    ...(event.error === undefined ? {} : { error: event.error }),
    ...(event.isCopied ? { copied: true as const } : {}),
    created_at: new Date(event.createdAt).toISOString(),
  };
}

/** From start to end in milliseconds, 0 where the clock was set back between; null until both are known. */
function durationOf({ startedAt, completedAt }: RunSummary): number | null {
  return startedAt === null || completedAt === null ? null : Math.max(0, completedAt - startedAt);
}
