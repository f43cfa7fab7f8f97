import type { Database } from "better-sqlite3";
import type { RunLogLine } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export type RunLogInsert = { runId: string; line: RunLogLine; maxBytes: number };

type LogRow = Omit<RunLogLine, "iteration"> & { seq: number; iteration: string | null };

/** Appends a line to a run's log until the log is full. */
export function prepareAppendRunLog(db: Database): (insert: RunLogInsert) => Effect<null> {
  const findRun = db.prepare<[string], { id: number }>("SELECT id FROM runs WHERE uuid = ?");
  const findLast = db.prepare<[number], { seq: number; bytes: number }>(
    "SELECT seq, bytes FROM run_log WHERE run_id = ? ORDER BY seq DESC LIMIT 1",
  );
  const insertLine = db.prepare(
    `INSERT INTO run_log (run_id, seq, step_id, iteration, attempt, created_at, bytes, text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ runId, line, maxBytes }) => {
    const run = findRun.get(runId);
    const last = (run && findLast.get(run.id)) ?? { seq: 0, bytes: 0 };
    if (!run || last.bytes >= maxBytes) return answer(null);
    const { stepId, iteration, attempt, createdAt } = line;
    const bytes = last.bytes + Buffer.byteLength(line.text);
    const text = bytes < maxBytes ? line.text : full;
    const place = iteration && JSON.stringify(iteration);
    insertLine.run(run.id, last.seq + 1, stepId, place, attempt, createdAt, bytes, text);
    return answer(null);
  };
}

const full = "[the log of this run is full; what follows is left out]";

export function prepareReadRunLog(db: Database) {
  const select = db.prepare<[string, number, number], LogRow>(
    `SELECT seq, step_id AS stepId, iteration, attempt, created_at AS createdAt, text
     FROM run_log WHERE run_id = (SELECT id FROM runs WHERE uuid = ?) AND seq > ? ORDER BY seq LIMIT ?`,
  );
  return (runId: string, after: number, limit: number): (RunLogLine & { seq: number })[] =>
    select.all(runId, after, limit).map((row) => {
      const iteration: RunLogLine["iteration"] = row.iteration === null ? null : JSON.parse(row.iteration);
      return { ...row, iteration };
    });
}
