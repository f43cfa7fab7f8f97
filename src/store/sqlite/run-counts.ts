import type { Database } from "better-sqlite3";
import { statusCodes } from "./codes.ts";

/** Codes of what a run is counted by; `actionId` null: none. */
export type CountedRun = { status: number; workspaceId: number; actionId: number | null; source: number };

/** The counters that stand beside the runs, changed in the same transaction as they are. */
export type RunCounts = {
  add: (run: CountedRun, n: 1 | -1) => void;
  /** Accepted runs of all workspaces. */
  countAccepted: () => number;
};

export function prepareRunCounts(db: Database): RunCounts {
  const upsert = db.prepare<[number, number, number, number, number]>(
    `INSERT INTO run_counts (status, workspace_id, action_id, source, n) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  );
  const accepted = db.prepare<[], { n: number }>(
    `SELECT COALESCE(SUM(n), 0) AS n FROM run_counts WHERE status = ${statusCodes.encode("accepted")}`,
  );
  return {
    add: (run, n) => upsert.run(run.status, run.workspaceId, run.actionId ?? 0, run.source, n),
    countAccepted: () => accepted.get()?.n ?? 0,
  };
}
