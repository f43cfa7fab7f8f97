import type { Database } from "better-sqlite3";
import type { EventRecord, RunRecord } from "../store.ts";
import { statusCodes } from "./codes.ts";
import { decodeEvent, journalKey, type EventRow } from "./event-row.ts";
import { decodeRun, runColumns, runParents, type RunRow } from "./run-row.ts";

export type RunReads = {
  findRun: (workspaceId: number, runId: string) => RunRecord | null;
  listAccepted: (afterId: string | null, limit: number) => RunRecord[];
  readJournal: (runId: string, after: number, limit: number) => EventRecord[];
};

const accepted = statusCodes.encode("accepted");

/** Reads of single runs and of what the loops look for. */
export function prepareRunReads(db: Database): RunReads {
  const byUuid = db.prepare<[string, number], RunRow>(
    `SELECT ${runColumns} FROM runs r ${runParents} WHERE r.uuid = +? AND r.workspace_id = +?`,
  );
  const acceptedAfter = db.prepare<[string | null, number], RunRow>(
    `SELECT ${runColumns} FROM runs r INDEXED BY runs_accepted ${runParents}
     WHERE r.status = ${accepted} AND r.id > COALESCE((SELECT id FROM runs WHERE uuid = +?), 0) ORDER BY r.id LIMIT +?`,
  );
  const insideId = db.prepare<[string], { id: number }>("SELECT id FROM runs WHERE uuid = ?");
  const events = db.prepare<[number, number, number, number], EventRow>(
    `SELECT id - ? AS seq, type, step_id AS stepId, iteration, attempt, duration_ms AS durationMs,
       created_at AS createdAt, input, output, error
     FROM journal WHERE id > +? AND id < +? ORDER BY id LIMIT +?`,
  );
  return {
    findRun(workspaceId, runId) {
      const row = byUuid.get(runId, workspaceId);
      return row ? decodeRun(row) : null;
    },
    listAccepted: (afterId, limit) => acceptedAfter.all(afterId, limit).map(decodeRun),
    readJournal(runId, after, limit) {
      const run = insideId.get(runId);
      if (!run) return [];
      const first = journalKey(run.id, 0);
      return events.all(first, first + Math.max(after, 0), journalKey(run.id + 1, 0), limit).map(decodeEvent);
    },
  };
}
