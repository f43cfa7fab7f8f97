import type { Database } from "better-sqlite3";
import type { NewRun, RunChange } from "../store.ts";
import { prepareRunAdmission, type RunRefusal } from "./admit-run.ts";
import { prepareAppendEvents } from "./append-events.ts";
import { prepareApprovalWrites, type ApprovalInsert } from "./approval-writes.ts";
import { prepareAuditWrites } from "./audit-writes.ts";
import { prepareChildRuns } from "./child-runs.ts";
import { sourceCodes, statusCodes } from "./codes.ts";
import { prepareAddDelivery } from "./delivery-writes.ts";
import { prepareDueWrites } from "./due-writes.ts";
import { answer, type Effect } from "./effect.ts";
import type { EventValues } from "./event-row.ts";
import { prepareShareFiles } from "./file-rows.ts";
import { prepareAddNotices } from "./notice-writes.ts";
import { prepareRunCounts } from "./run-counts.ts";
import { isInputSealed, runMarks } from "./run-row.ts";
import { prepareSealedWrites } from "./sealed-writes.ts";
import { prepareSlotWrites } from "./slot-writes.ts";

/** A new run with its payloads as JSON texts. */
export type RunInsert = Omit<NewRun, "input" | "error" | "request" | "replay"> & {
  input: string;
  error: string | null;
  request: ApprovalInsert | null;
  replay: (Omit<NonNullable<NewRun["replay"]>, "events"> & { events: readonly EventValues[] }) | null;
};

/** As the store's answer, but for the record, which the caller knows. */
export type CreateRunAnswer = { kind: "created" } | RunRefusal;

const insertSql = `INSERT INTO runs (uuid, workspace_id, version_id, action_id, user_id, user_seq, source, status, dry_run,
    epoch, seq, crashes, active_ms, created_at, completed_at, input, error,
    marks, resume_from, traceparent, http_request, http_handler)
  SELECT @id, @workspaceId, v.id, @actionId, @userId, @userSeq, @source, @status, @dryRun,
    0, @seq, 0, 0, @createdAt, @completedAt, @input, @error, @marks, @resumeFrom,
    @traceparent, @httpRequest, @httpHandler
  FROM versions v JOIN workflows w ON w.id = v.workflow_id
  WHERE v.uuid = +@versionId AND w.uuid = +@workflowId AND w.workspace_id = +@workspaceId`;

/** Inserts a run and counts it, unless something stands in its way. */
export function prepareCreateRun(db: Database): (run: RunInsert) => Effect<CreateRunAnswer> {
  const counts = prepareRunCounts(db);
  const insertRequest = prepareInsertRequest(db);
  const sealed = prepareSealedWrites(db);
  const insertCopies = prepareInsertCopies(db);
  const addDelivery = prepareAddDelivery(db);
  const admission = prepareRunAdmission(db, counts);
  const slots = prepareSlotWrites(db);
  const children = prepareChildRuns(db);
  const shareFiles = prepareShareFiles(db);
  const insert = db.prepare(insertSql);

  function insertRun(run: RunInsert, userSeq: number | null): RunChange {
    const row = rowOf(run);
    const { changes, lastInsertRowid } = insert.run({ ...row, userSeq });
    if (changes === 0) {
      throw new Error(`Run ${run.id} was not created: workspace ${run.workspaceId} has no version ${run.versionId}`);
    }
    counts.add(row, 1);
    const insideId = Number(lastInsertRowid);
    admission.count(run, insideId, userSeq);
    const seq = insertCopies(run, insideId);
    sealed.add(insideId, run.sealed ?? []);
    if (run.delivery) addDelivery(run.delivery);
    if (run.slot) slots.take(run.slot, run.id);
    if (run.parent) children.add(run.parent, insideId);
    const source = run.replay?.of ?? run.parent?.runId;
    if (source !== undefined) shareFiles(source, run.id);
    const change = { runId: run.id, workspaceId: run.workspaceId, status: run.status, seq };
    return run.request ? { ...change, ...insertRequest(run, run.request, insideId) } : change;
  }

  return (run) => {
    const untimely = run.slot && slots.check(run.slot);
    if (untimely) return answer(untimely);
    const refused = run.parent && children.check(run.parent);
    if (refused) return answer(refused);
    const checked = admission.check(run);
    if (checked.kind !== "admitted") return answer(checked);
    return { value: { kind: "created" }, changes: [insertRun(run, checked.userSeq)] };
  };
}

/** A run as the table has it; what else there is in it is no parameter of the statement. */
function rowOf({ parent: _parent, ...run }: RunInsert) {
  return {
    ...run,
    source: sourceCodes.encode(run.source),
    status: statusCodes.encode(run.status),
    dryRun: run.dryRun ? 1 : 0,
    seq: run.replay?.events.length ?? 0,
    marks: isInputSealed(run.sealed) ? runMarks.inputRedacted : 0,
    resumeFrom: run.replay?.of ?? null,
    traceparent: run.traceparent ?? null,
    httpRequest: run.http?.requestId ?? null,
    httpHandler: run.http?.handlerId ?? null,
  };
}

type InsertRequest = (
  run: RunInsert,
  request: ApprovalInsert,
  id: number,
) => Required<Pick<RunChange, "dueAt" | "notices">>;

/** Inserts the gate before the whole run; returns the first moment of the run, and what people want to hear of. */
function prepareInsertRequest(db: Database): InsertRequest {
  const approvals = prepareApprovalWrites(db);
  const due = prepareDueWrites(db);
  const addNotices = prepareAddNotices(db);
  return ({ id: runId, workspaceId, createdAt, tellsPeople }, request, id) => {
    approvals.insert({ id, workspaceId }, request);
    due.add(id, [{ kind: "approval", owner: request.id, at: request.expiresAt }]);
    const notices = [{ event: "approval.requested", id: request.id } as const];
    if (!tellsPeople) return { dueAt: request.expiresAt, notices };
    addNotices({ runId, workspaceId, at: createdAt }, notices);
    return { dueAt: createdAt, notices };
  };
}

/** Inserts what a replay takes over, and who asked for it; returns the number of the last event. */
function prepareInsertCopies(db: Database): (run: RunInsert, insideId: number) => number {
  const appendEvents = prepareAppendEvents(db);
  const audit = prepareAuditWrites(db);
  return ({ id: runId, replay }, insideId) => {
    if (!replay) return 0;
    audit.add(replay.audit);
    return appendEvents({ runId, insideId, after: 0, events: replay.events });
  };
}
