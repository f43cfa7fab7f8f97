import type { Database } from "better-sqlite3";
import type { RunStatus } from "../../contract/run.ts";
import type { NewDue, Notice, RunChange, RunCommit } from "../store.ts";
import { prepareAppendEvents } from "./append-events.ts";
import { prepareApprovalWrites, type ApprovalInsert } from "./approval-writes.ts";
import { prepareChildRuns } from "./child-runs.ts";
import { holds, isTerminalCode, statusCodes } from "./codes.ts";
import { answer, type Effect } from "./effect.ts";
import { createdAtOf, type EventValues } from "./event-row.ts";
import { prepareHealthWrites } from "./health-writes.ts";
import { prepareAddNotices } from "./notice-writes.ts";
import { prepareRunCompanions } from "./run-companions.ts";
import { prepareRunCounts, type CountedRun } from "./run-counts.ts";
import { runMarks } from "./run-row.ts";
import { prepareSealedWrites } from "./sealed-writes.ts";

/** A commit with its payloads as JSON texts; null: the run keeps what it has. */
export type RunUpdate = Omit<RunCommit, "events" | "output" | "error" | "request"> & {
  events: readonly EventValues[];
  output: string | null;
  error: string | null;
  request: ApprovalInsert | null;
};

/** A run as the fence found it. */
export type OpenRun = CountedRun & { id: number };

const waitingForApproval = statusCodes.encode("waiting_for_approval");

/** Appends events to a run and moves it on, if it still is where the commit found it. */
export function prepareCommitRun(db: Database): (commit: RunUpdate) => Effect<boolean> {
  const findFenced = prepareFindFenced(db);
  const appendEvents = prepareAppendEvents(db);
  const approvals = prepareApprovalWrites(db);
  const companions = prepareRunCompanions(db);
  const children = prepareChildRuns(db);
  const sealed = prepareSealedWrites(db);
  const health = prepareHealthWrites(db);
  const updateRun = prepareUpdateRun(db);
  const addNotices = prepareAddNotices(db);

  return (commit) => {
    const run = findFenced(commit);
    if (!run) return answer(false);
    const { runId, decision } = commit;
    if (decision && !approvals.decide({ ...decision, runId: run.id, at: commit.at })) return answer(false);
    const seq = appendEvents({ runId, insideId: run.id, after: commit.seq, events: commit.events });
    sealed.add(run.id, commit.sealed ?? []);
    const status = nextStatus(run, commit);
    companions.update(run, commit);
    const isOver = isTerminalCode(statusCodes.encode(status));
    if (isOver) companions.close(run, commit);
    const hasKin = isOver && children.noteEnd({ id: run.id, uuid: runId }, commit.at);
    updateRun(run, commit, { seq, status });
    const counted = commit.health ? health.note(run, status, commit.health, commit.at) : [];
    const notices = [...noticesOf(commit, status), ...counted];
    const described = describeChange(run, commit, { seq, status });
    const change = hasKin ? { ...described, dueAt: commit.at } : described;
    if (notices.length === 0) return { value: true, changes: [change] };
    if (!commit.tellsPeople) return { value: true, changes: [{ ...change, notices }] };
    addNotices({ runId, workspaceId: run.workspaceId, at: commit.at }, notices);
    return { value: true, changes: [{ ...change, notices, dueAt: commit.at }] };
  };
}

/** Finds the run where the commit's fence says it is; undefined when it has moved on or has ended. */
function prepareFindFenced(db: Database): (commit: RunUpdate) => OpenRun | undefined {
  const select = (guard: string) =>
    db.prepare<[string, number, number], OpenRun>(
      `SELECT id, uuid, status, workspace_id AS workspaceId, action_id AS actionId, source
       FROM runs WHERE uuid = ? AND epoch = ? AND seq = ? AND status < ${statusCodes.encode("succeeded")}${guard}`,
    );
  const findOpen = select("");
  const findFree = select(` AND hold <> ${holds.executor}`);
  return ({ runId, claim, epoch, seq }) =>
    claim ? findFree.get(runId, epoch - 1, seq) : findOpen.get(runId, epoch, seq);
}

/** A pending request goes before everything but the run's end. */
function nextStatus(run: OpenRun, commit: RunUpdate): RunStatus {
  const current = statusCodes.decode(run.status);
  const wanted = commit.status ?? (commit.claim && current === "accepted" ? "running" : current);
  if (isTerminalCode(statusCodes.encode(wanted))) return wanted;
  if (awaitsApproval(run, commit)) return "waiting_for_approval";
  return hasMissedDecision(run, commit) ? "running" : wanted;
}

/** Whether a request is pending after a commit that does not end the run. */
function awaitsApproval(run: OpenRun, { request, withdraw }: RunUpdate): boolean {
  return request !== null || (run.status === waitingForApproval && !withdraw);
}

/** The executor wants to park before a request that was approved meanwhile. */
function hasMissedDecision(run: OpenRun, commit: RunUpdate): boolean {
  return commit.release?.as === "parked" && commit.release.awaitsApproval !== awaitsApproval(run, commit);
}

type NewPlace = { seq: number; status: RunStatus };

/** What a commit tells people of a gate. */
function noticesOf({ request, decision }: RunUpdate, status: RunStatus): Notice[] {
  if (decision?.status === "expired") return [{ event: "approval.expired", id: decision.approvalId }];
  return request && status === "waiting_for_approval" ? [{ event: "approval.requested", id: request.id }] : [];
}

function describeChange(run: OpenRun, commit: RunUpdate, { seq, status }: NewPlace): RunChange {
  const { runId, addDue = [], followUp = [], request } = commit;
  const moments = [...addDue, ...followUp].map(({ at }: NewDue) => at);
  if (request) moments.push(request.expiresAt);
  const change = { runId, workspaceId: run.workspaceId, status, seq };
  return moments.length === 0 ? change : { ...change, dueAt: Math.min(...moments) };
}

/** Who has the run after the commit. */
function nextHold(run: OpenRun, commit: RunUpdate, code: number): number {
  if (isTerminalCode(code)) return holds.nobody;
  if (commit.release?.as === "stopped") return holds.givenBack;
  return commit.release && !hasMissedDecision(run, commit) ? holds.nobody : holds.executor;
}

/** The claim is written with the first events, some time after they happened: no step starts before its run. */
function startOf({ at, events }: RunUpdate): number {
  const [first] = events;
  return first ? Math.min(at, createdAtOf(first)) : at;
}

function prepareUpdateRun(db: Database): (run: OpenRun, commit: RunUpdate, to: NewPlace) => void {
  const counts = prepareRunCounts(db);
  // An error of JSON null clears the column.
  const common = `seq = ?, active_ms = active_ms + ?, output = COALESCE(?, output),
    error = NULLIF(COALESCE(?, error), 'null'), marks = marks | ?`;
  // Two statements, because naming the status costs the upkeep of every index that holds it.
  const advance = db.prepare(`UPDATE runs SET ${common} WHERE id = ?`);
  const move = db.prepare(
    `UPDATE runs SET ${common}, status = ?, epoch = ?, hold = ?, started_at = COALESCE(started_at, ?), completed_at = ?
     WHERE id = ?`,
  );
  return (run, commit, { seq, status }) => {
    const isResultSealed = commit.sealed?.some(({ place }) => place === "result");
    const marks = isResultSealed ? runMarks.resultRedacted : 0;
    const values = [seq, commit.activeMs, commit.output, commit.error, marks];
    const code = statusCodes.encode(status);
    if (code === run.status && !commit.claim && !commit.release) {
      advance.run(values, run.id);
      return;
    }
    const isOver = isTerminalCode(code);
    const startedAt = commit.claim && (!isOver || commit.events.length > 0) ? startOf(commit) : null;
    const completedAt = isOver ? commit.at : null;
    move.run(values, code, commit.epoch, nextHold(run, commit, code), startedAt, completedAt, run.id);
    if (code === run.status) return;
    counts.add(run, -1);
    counts.add({ ...run, status: code }, 1);
  };
}
