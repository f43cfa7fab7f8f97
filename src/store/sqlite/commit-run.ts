import type { Database } from "better-sqlite3";
import type { RunStatus } from "../../contract/run.ts";
import type { RunCommit } from "../store.ts";
import { prepareAppendEvents } from "./append-events.ts";
import { isTerminalCode, statusCodes } from "./codes.ts";
import { answer, type Effect } from "./effect.ts";
import type { EventValues } from "./event-row.ts";
import { prepareRunCounts, type CountedRun } from "./run-counts.ts";

/** A commit with its payloads as JSON texts; null: the run keeps what it has. */
export type RunUpdate = Omit<RunCommit, "events" | "output" | "error"> & {
  events: readonly EventValues[];
  output: string | null;
  error: string | null;
};

type OpenRun = CountedRun & { id: number };

/** Appends events to a run and moves it on, if it still is where the commit found it. */
export function prepareCommitRun(db: Database): (commit: RunUpdate) => Effect<boolean> {
  const findFenced = prepareFindFenced(db);
  const appendEvents = prepareAppendEvents(db);
  const updateRun = prepareUpdateRun(db);
  return (commit) => {
    const run = findFenced(commit);
    if (!run) return answer(false);
    const { runId } = commit;
    const seq = appendEvents({ runId, insideId: run.id, after: commit.seq, events: commit.events });
    const status = commit.status ?? (commit.claim ? "running" : statusCodes.decode(run.status));
    updateRun(run, commit, { seq, status });
    return { value: true, changes: [{ runId, workspaceId: run.workspaceId, status, seq }] };
  };
}

/** Finds the run where the commit's fence says it is; undefined when it has moved on or has ended. */
function prepareFindFenced(db: Database): (commit: RunUpdate) => OpenRun | undefined {
  const select = (guard: string) =>
    db.prepare<[string, number, number], OpenRun>(
      `SELECT id, status, workspace_id AS workspaceId, action_id AS actionId, source
       FROM runs WHERE uuid = ? AND epoch = ? AND seq = ? AND ${guard}`,
    );
  const findOpen = select(`status < ${statusCodes.encode("succeeded")}`);
  const findAccepted = select(`status = ${statusCodes.encode("accepted")}`);
  return ({ runId, claim, epoch, seq }) =>
    claim ? findAccepted.get(runId, epoch - 1, seq) : findOpen.get(runId, epoch, seq);
}

type NewPlace = { seq: number; status: RunStatus };

function prepareUpdateRun(db: Database): (run: OpenRun, commit: RunUpdate, to: NewPlace) => void {
  const counts = prepareRunCounts(db);
  // An error of JSON null clears the column.
  const common = `seq = ?, active_ms = active_ms + ?, output = COALESCE(?, output),
    error = NULLIF(COALESCE(?, error), 'null')`;
  // Two statements, because naming the status costs the upkeep of every index that holds it.
  const advance = db.prepare(`UPDATE runs SET ${common} WHERE id = ?`);
  const move = db.prepare(
    `UPDATE runs SET ${common}, status = ?, epoch = ?, started_at = COALESCE(started_at, ?), completed_at = ?
     WHERE id = ?`,
  );
  return (run, commit, { seq, status }) => {
    const values = [seq, commit.activeMs, commit.output, commit.error];
    const code = statusCodes.encode(status);
    if (code === run.status && !commit.claim) {
      advance.run(values, run.id);
      return;
    }
    const startedAt = commit.claim ? commit.at : null;
    const completedAt = isTerminalCode(code) ? commit.at : null;
    move.run(values, code, commit.epoch, startedAt, completedAt, run.id);
    counts.add(run, -1);
    counts.add({ ...run, status: code }, 1);
  };
}
