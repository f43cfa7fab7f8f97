import type { Database } from "better-sqlite3";
import type { CreateRunResult, NewRun, RunChange } from "../store.ts";
import { prepareAppendEvents } from "./append-events.ts";
import { prepareApprovalWrites, type ApprovalInsert } from "./approval-writes.ts";
import { prepareAuditWrites } from "./audit-writes.ts";
import { isTerminalCode, sourceCodes, statusCodes } from "./codes.ts";
import { prepareDueWrites } from "./due-writes.ts";
import { answer, type Effect } from "./effect.ts";
import type { EventValues } from "./event-row.ts";
import { prepareMonthlyRuns } from "./monthly-runs.ts";
import { prepareRunCounts } from "./run-counts.ts";
import { prepareRunRepeats } from "./run-repeats.ts";
import { isInputSealed, runMarks } from "./run-row.ts";
import { prepareSealedWrites } from "./sealed-writes.ts";

/** A new run with its payloads as JSON texts. */
export type RunInsert = Omit<NewRun, "input" | "request" | "replay"> & {
  input: string;
  request: ApprovalInsert | null;
  replay: (Omit<NonNullable<NewRun["replay"]>, "events"> & { events: readonly EventValues[] }) | null;
};

/** As the store's answer, but for the record, which the caller knows. */
export type CreateRunAnswer = { kind: "created" } | Exclude<CreateRunResult, { kind: "created" }>;

const hourMs = 3_600_000;

const insertSql = `INSERT INTO runs (uuid, workspace_id, version_id, action_id, user_id, user_seq, source, status, dry_run,
    epoch, seq, crashes, active_ms, created_at, completed_at, input,
    marks, resume_from)
  SELECT @id, @workspaceId, v.id, @actionId, @userId, @userSeq, @source, @status, @dryRun,
    0, @seq, 0, 0, @createdAt, @completedAt, @input, @marks, @resumeFrom
  FROM versions v JOIN workflows w ON w.id = v.workflow_id
  WHERE v.uuid = +@versionId AND w.uuid = +@workflowId AND w.workspace_id = +@workspaceId`;

/** Inserts a run and counts it, unless its request was served before or its user's hour, its workspace's month or the queue is full. */
export function prepareCreateRun(db: Database): (run: RunInsert) => Effect<CreateRunAnswer> {
  const counts = prepareRunCounts(db);
  const approvals = prepareApprovalWrites(db);
  const due = prepareDueWrites(db);
  const appendEvents = prepareAppendEvents(db);
  const sealed = prepareSealedWrites(db);
  const audit = prepareAuditWrites(db);
  const monthly = prepareMonthlyRuns(db);
  const repeats = prepareRunRepeats(db);
  const insert = db.prepare(insertSql);
  const lastOfUser = db.prepare<[string], { seq: number | null }>(
    "SELECT MAX(user_seq) AS seq FROM runs WHERE user_id = +? AND user_seq IS NOT NULL",
  );
  const nthOfUser = db.prepare<[string, number], { createdAt: number }>(
    `SELECT created_at AS createdAt FROM runs WHERE user_id = +? AND user_seq IS NOT NULL AND user_seq <= +?
     ORDER BY user_seq DESC LIMIT 1`,
  );

  /** The run that has to leave the hour before this one may come. */
  function findBlocker(run: RunInsert, lastSeq: number): { createdAt: number } | undefined {
    if (run.hourlyCap === null) return undefined;
    const oldest = nthOfUser.get(run.userId, lastSeq - run.hourlyCap + 1);
    return oldest && oldest.createdAt > run.createdAt - hourMs ? oldest : undefined;
  }

  /** The gate before the whole run; returns when it expires. */
  function insertRequest(run: RunInsert, request: ApprovalInsert, id: number): number {
    approvals.insert({ id, workspaceId: run.workspaceId }, request);
    due.add(id, [{ kind: "approval", owner: request.id, at: request.expiresAt }]);
    return request.expiresAt;
  }

  /** What a replay takes over, and who asked for it; returns the number of the last event. */
  function insertCopies({ id: runId, replay }: RunInsert, insideId: number): number {
    if (!replay) return 0;
    audit.add(replay.audit);
    return appendEvents({ runId, insideId, after: 0, events: replay.events });
  }

  function insertRun(run: RunInsert, userSeq: number | null): RunChange {
    const source = sourceCodes.encode(run.source);
    const status = statusCodes.encode(run.status);
    const { changes, lastInsertRowid } = insert.run({
      ...run,
      userSeq,
      source,
      status,
      dryRun: run.dryRun ? 1 : 0,
      seq: run.replay?.events.length ?? 0,
      marks: isInputSealed(run.sealed) ? runMarks.inputRedacted : 0,
      resumeFrom: run.replay?.of ?? null,
    });
    if (changes === 0) {
      throw new Error(`Run ${run.id} was not created: workspace ${run.workspaceId} has no version ${run.versionId}`);
    }
    counts.add({ status, workspaceId: run.workspaceId, actionId: run.actionId, source }, 1);
    const insideId = Number(lastInsertRowid);
    if (userSeq !== null) monthly.add(run.workspaceId, run.createdAt);
    if (run.idempotency) repeats.note(run.idempotency, insideId, run.createdAt);
    const seq = insertCopies(run, insideId);
    sealed.add(insideId, run.sealed ?? []);
    const change = { runId: run.id, workspaceId: run.workspaceId, status: run.status, seq };
    return run.request ? { ...change, dueAt: insertRequest(run, run.request, insideId) } : change;
  }

  function isMonthFull({ workspaceId, monthlyQuota, createdAt }: RunInsert): boolean {
    return typeof monthlyQuota === "number" && monthly.count(workspaceId, createdAt) >= monthlyQuota;
  }

  return (run) => {
    const repeat = run.idempotency && repeats.find(run.idempotency, run.createdAt);
    if (repeat) return answer(repeat);
    const counted = countsForCap(run);
    const lastSeq = counted ? (lastOfUser.get(run.userId)?.seq ?? 0) : 0;
    const blocker = counted ? findBlocker(run, lastSeq) : undefined;
    if (blocker) return answer({ kind: "hourly_cap", oldestAt: blocker.createdAt });
    if (counted && isMonthFull(run)) return answer({ kind: "monthly_quota" });
    const queued = run.maxQueued === null ? 0 : counts.countAccepted();
    if (run.maxQueued !== null && queued >= run.maxQueued) return answer({ kind: "overloaded", queued });
    return { value: { kind: "created" }, changes: [insertRun(run, counted ? lastSeq + 1 : null)] };
  };
}

/** A run that is born finished executed nothing: a dry run, or a trigger's run over the cap (contract 12). */
function countsForCap(run: RunInsert): boolean {
  return !run.dryRun && run.source !== "dry_run" && !isTerminalCode(statusCodes.encode(run.status));
}
