import type { Database } from "better-sqlite3";
import { journalKey, maxSeq, type EventValues } from "./event-row.ts";

export type Append = { runId: string; insideId: number; after: number; events: readonly EventValues[] };

/** Writes events behind the `after`-th of a run and returns the number of the last one. */
export function prepareAppendEvents(db: Database): (append: Append) => number {
  const insert = db.prepare(
    `INSERT INTO journal (id, type, step_id, iteration, attempt, duration_ms, created_at, input, output, error, marks)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ runId, insideId, after, events }) => {
    const last = after + events.length;
    if (last > maxSeq) throw new Error(`Run ${runId} is full: a journal has room for ${maxSeq} events`);
    for (const [index, event] of events.entries()) insert.run(journalKey(insideId, after + 1 + index), event);
    return last;
  };
}
