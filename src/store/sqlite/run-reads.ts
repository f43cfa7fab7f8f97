import type { Database } from "better-sqlite3";
import type { EventRecord, RunRecord, SealedPayload, SealedPlace } from "../store.ts";
import { statusCodes } from "./codes.ts";
import { decodeEvent, journalKey, sealedKey, type EventRow } from "./event-row.ts";
import { decodeRun, runColumns, runParents, type RunRow } from "./run-row.ts";

export type RunReads = {
  findRun: (workspaceId: number, runId: string) => RunRecord | null;
  listAccepted: (afterId: string | null, limit: number) => RunRecord[];
  listOpenRuns: (workspaceId: number, workflowId: string) => string[];
  readJournal: (runId: string, after: number, limit: number) => EventRecord[];
  findSealed: (runId: string, place: SealedPlace) => SealedPayload | null;
  listSealed: (runId: string, after: number, upTo: number) => SealedPayload[];
};

const open = (["running", "waiting", "waiting_for_approval"] as const).map(statusCodes.encode).join(", ");
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
  const openOfWorkflow = db.prepare<[number, string], { id: string }>(
    `SELECT r.uuid AS id FROM runs r INDEXED BY runs_by_status WHERE r.workspace_id = ? AND r.status IN (${open})
       AND r.started_at IS NOT NULL AND r.version_id IN
         (SELECT v.id FROM versions v JOIN workflows w ON w.id = v.workflow_id WHERE w.uuid = ?)`,
  );
  const insideId = db.prepare<[string], { id: number }>("SELECT id FROM runs WHERE uuid = ?");
  const events = db.prepare<[number, number, number, number], EventRow>(
    `SELECT id - ? AS seq, type, step_id AS stepId, iteration, attempt, duration_ms AS durationMs,
       created_at AS createdAt, input, output, error, marks
     FROM journal WHERE id > +? AND id < +? ORDER BY id LIMIT +?`,
  );
  const sealedAt = db.prepare<[number], { content: Uint8Array }>("SELECT content FROM sealed WHERE id = +?");
  const sealedOf = db.prepare<[number, number, number], { place: number; content: Uint8Array }>(
    "SELECT id - ? AS place, content FROM sealed WHERE id > +? AND id <= +? ORDER BY id",
  );
  return {
    findRun(workspaceId, runId) {
      const row = byUuid.get(runId, workspaceId);
      return row ? decodeRun(row) : null;
    },
    listAccepted: (afterId, limit) => acceptedAfter.all(afterId, limit).map(decodeRun),
    listOpenRuns: (workspaceId, workflowId) => openOfWorkflow.all(workspaceId, workflowId).map(({ id }) => id),
    readJournal(runId, after, limit) {
      const run = insideId.get(runId);
      if (!run) return [];
      const first = journalKey(run.id, 0);
      return events.all(first, first + Math.max(after, 0), journalKey(run.id + 1, 0), limit).map(decodeEvent);
    },
    findSealed(runId, place) {
      const run = insideId.get(runId);
      const found = run && sealedAt.get(sealedKey(run.id, place));
      return found ? { place, content: found.content } : null;
    },
    listSealed(runId, after, upTo) {
      const run = insideId.get(runId);
      if (!run) return [];
      const first = journalKey(run.id, 0);
      return sealedOf.all(first, first + after, first + upTo);
    },
  };
}
