import type { Database } from "better-sqlite3";
import type { EventType } from "../../contract/journal.ts";
import type { RunStatus } from "../../contract/run.ts";
import type { RunFacts } from "../store.ts";
import { eventCodes, statusCodes } from "./codes.ts";
import { journalKey } from "./event-row.ts";
import { decodeSummary, runParents, summaryColumns, type RunSummaryRow } from "./run-row.ts";

/** A journal up to this length is counted through, in well under a millisecond. */
const countedEvents = 5000;

const endTypes: readonly EventType[] = [
  "step_completed",
  "step_failed",
  "step_failed_continued",
  "step_skipped",
  "step_timed_out",
];
const ends = endTypes.map(eventCodes.encode).join(", ");

/** Only these have an error; it lies behind the payloads, so other rows are not read that far. */
const failures = (["failed", "cancelled", "timed_out"] satisfies RunStatus[]).map(statusCodes.encode).join(", ");

type Row = RunSummaryRow & Pick<RunFacts, "errorCode" | "resumeAt" | "approvalExpiresAt"> & { inside: number };

/** Prepares the read behind lists for people: each run is found by its id, and its facts along indexes. */
export function prepareDescribeRuns(db: Database): (workspaceId: number, runIds: readonly string[]) => RunFacts[] {
  const byUuid = db.prepare<[string, number], Row>(
    `SELECT ${summaryColumns}, r.id AS inside,
       CASE WHEN r.status IN (${failures}) THEN json_extract(r.error, '$.code') END AS errorCode,
       (SELECT MIN(at) FROM due WHERE run_id = r.id AND kind IN ('wait', 'retry')) AS resumeAt,
       (SELECT expires_at FROM approvals WHERE run_id = r.id AND status = 'pending') AS approvalExpiresAt
     FROM runs r ${runParents} WHERE r.uuid = +? AND r.workspace_id = +?`,
  );
  const countEnded = db.prepare<[number, number], { n: number }>(
    `SELECT COUNT(DISTINCT step_id) AS n FROM journal
     WHERE id > +? AND id < +? AND iteration IS NULL AND type IN (${ends})`,
  );

  function describe({ inside, errorCode, resumeAt, approvalExpiresAt, ...row }: Row): RunFacts {
    const isCounted = row.seq <= countedEvents;
    const ended = isCounted ? countEnded.get(journalKey(inside, 0), journalKey(inside + 1, 0)) : undefined;
    return {
      ...decodeSummary(row),
      errorCode,
      endedSteps: isCounted ? (ended?.n ?? 0) : null,
      resumeAt,
      approvalExpiresAt,
    };
  }

  return db.transaction((workspaceId: number, runIds: readonly string[]) =>
    runIds.flatMap((id) => {
      const row = byUuid.get(id, workspaceId);
      return row ? [describe(row)] : [];
    }),
  );
}
