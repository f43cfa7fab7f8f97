import type { Database } from "better-sqlite3";
import type { RunStatus } from "../../contract/run.ts";
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

/** Runs of all workspaces by status. */
export function prepareCountRuns(db: Database): () => { status: RunStatus; n: number }[] {
  const count = db.prepare<[], { status: number; n: number }>(
    "SELECT status, SUM(n) AS n FROM run_counts GROUP BY status HAVING SUM(n) > 0",
  );
  return () => count.all().map(({ status, n }) => ({ status: statusCodes.decode(status), n }));
}
