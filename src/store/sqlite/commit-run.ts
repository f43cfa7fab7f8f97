import type { Database } from "better-sqlite3";
import { isTerminal, type RunStatus } from "../../contract/run.ts";
import type { RunCommit } from "../store.ts";
import { statusCodes } from "./codes.ts";
import { answer, type Effect } from "./effect.ts";
import { journalKey, maxSeq, type EventRow } from "./event-row.ts";
import { prepareRunCounts, type CountedRun } from "./run-counts.ts";

/** A commit with its payloads as JSON texts; null: the run keeps what it has. */
export type RunUpdate = Omit<RunCommit, "events" | "output" | "error"> & {
  events: readonly EventRow[];
  output: string | null;
  error: string | null;
};

type OpenRun = CountedRun & { id: number };

// An error of JSON null clears the column.
const payloads = "output = COALESCE(?, output), error = NULLIF(COALESCE(?, error), 'null')";

/** Appends events to a run and moves it on, if it still is where the commit found it. */
export function prepareCommitRun(db: Database): (commit: RunUpdate) => Effect<boolean> {
  const counts = prepareRunCounts(db);
  const selectOpen = (guard: string) =>
    db.prepare<[string, number, number], OpenRun>(
      `SELECT id, status, workspace_id AS workspaceId, action_id AS actionId, source
       FROM runs WHERE uuid = ? AND epoch = ? AND seq = ? AND ${guard}`,
    );
  const findOpen = selectOpen(`status < ${statusCodes.encode("succeeded")}`);
  const findAccepted = selectOpen(`status = ${statusCodes.encode("accepted")}`);
  // Two statements, because naming the status costs the upkeep of every index that holds it.
  const advance = db.prepare(`UPDATE runs SET seq = ?, active_ms = active_ms + ?, ${payloads} WHERE id = ?`);
  const move = db.prepare(
    `UPDATE runs SET seq = ?, active_ms = active_ms + ?, ${payloads}, status = ?, epoch = ?,
       started_at = COALESCE(started_at, ?), completed_at = ? WHERE id = ?`,
  );
  const insertEvent = db.prepare(
    `INSERT INTO journal (id, type, step_id, iteration, attempt, duration_ms, created_at, input, output, error)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  function insertEvents(runId: number, { seq, events }: RunUpdate): void {
    let key = journalKey(runId, seq);
    for (const e of events) {
      key += 1;
      insertEvent.run([key, e.type, e.stepId, e.iteration, e.attempt, e.durationMs, e.createdAt, e.input, e.output, e.error]);
    }
  }

  function moveRun(run: OpenRun, commit: RunUpdate, seq: number, status: RunStatus): void {
    const code = statusCodes.encode(status);
    const startedAt = commit.claim ? commit.at : null;
    const completedAt = isTerminal(status) ? commit.at : null;
    move.run([seq, commit.activeMs, commit.output, commit.error, code, commit.epoch, startedAt, completedAt, run.id]);
    if (code === run.status) return;
    counts.add(run, -1);
    counts.add({ ...run, status: code }, 1);
  }

  return (commit) => {
    const run = commit.claim
      ? findAccepted.get(commit.runId, commit.epoch - 1, commit.seq)
      : findOpen.get(commit.runId, commit.epoch, commit.seq);
    if (!run) return answer(false);
    const seq = commit.seq + commit.events.length;
    if (seq > maxSeq) throw new Error(`Run ${commit.runId} is full: its journal has room for ${maxSeq} events`);
    const status = commit.status ?? (commit.claim ? "running" : undefined);
    if (status === undefined) advance.run(seq, commit.activeMs, commit.output, commit.error, run.id);
    else moveRun(run, commit, seq, status);
    insertEvents(run.id, commit);
    const now = status ?? statusCodes.decode(run.status);
    return { value: true, changes: [{ runId: commit.runId, workspaceId: run.workspaceId, status: now, seq }] };
  };
}
