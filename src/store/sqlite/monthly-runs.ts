import type { Database } from "better-sqlite3";

/** The runs of workspaces in calendar months in UTC. */
export type MonthlyRuns = {
  count: (workspaceId: number, at: number) => number;
  add: (workspaceId: number, at: number) => void;
};

export function prepareMonthlyRuns(db: Database): MonthlyRuns {
  const read = db.prepare<[number, number], { n: number }>(
    "SELECT n FROM monthly_runs WHERE workspace_id = +? AND month = +?",
  );
  const upsert = db.prepare<[number, number]>(
    "INSERT INTO monthly_runs (workspace_id, month, n) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1",
  );
  return {
    count: (workspaceId, at) => read.get(workspaceId, monthOf(at))?.n ?? 0,
    add: (workspaceId, at) => void upsert.run(workspaceId, monthOf(at)),
  };
}

/** January 2026 is 202601. */
function monthOf(at: number): number {
  const date = new Date(at);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}
