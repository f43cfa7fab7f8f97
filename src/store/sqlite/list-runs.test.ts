import Database from "better-sqlite3";
import { describe, expect, test, vi } from "vitest";
import type { RunFilter } from "../store.ts";
import { prepareApprovalReads } from "./approval-reads.ts";
import { prepareListRuns } from "./list-runs.ts";
import { migrate } from "./migrate.ts";
import { prepareRunReads } from "./run-reads.ts";

/** Runs the reads and returns the plan of every query that they made. */
function explain(read: (db: Database.Database) => void): string[] {
  const queries: string[] = [];
  const db = new Database(":memory:", { verbose: (sql) => queries.push(String(sql)) });
  migrate(db);
  db.exec(`INSERT INTO workflows VALUES (1, 'w', 1, 'Ship', 'callable', NULL, NULL, 0, 0, NULL);
    INSERT INTO actions VALUES (1, 1, 'ship', 'Ship', NULL, 'active', 'never', 1, 0, 0)`);
  queries.length = 0;
  read(db);
  return queries
    .filter((sql) => sql.startsWith("SELECT"))
    .map((sql) => db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all())
    .map((steps) => steps.map(({ detail }) => detail).join("\n"));
}

const filters: [string, Partial<RunFilter>][] = [
  ["no filter", {}],
  ["one status", { statuses: ["failed"] }],
  ["several statuses", { statuses: ["failed", "timed_out", "running"] }],
  ["an action", { actionSlug: "ship" }],
  ["an action and a status", { actionSlug: "ship", statuses: ["failed"] }],
  ["a source", { source: "webhook" }],
  ["a source and statuses", { source: "webhook", statuses: ["failed", "cancelled"] }],
  ["bounds on creation", { createdFrom: 1, createdTo: 2 }],
  ["bounds, a status and a source", { createdFrom: 1, statuses: ["failed"], source: "test" }],
];

describe("a list of runs", () => {
  test.each(filters)(
    "with %s walks indexes, sorts no more than its page and counts no rows but in bounds",
    (_, filter) => {
      const plans = explain((db) => prepareListRuns(db)({ workspaceId: 1, limit: 20, offset: 0, ...filter }));
      const isDated = filter.createdFrom !== undefined;
      for (const plan of plans) expect(plan).not.toMatch(/SCAN (?!page)/);
      expect(plans.join("\n").match(/TEMP B-TREE FOR ORDER BY/g)).toHaveLength(1);
      expect(plans.at(-1)).toMatch(isDated ? /SEARCH runs USING COVERING INDEX/ : /SEARCH run_counts/);
    },
  );
});

test("the queue of accepted runs is read from an index of its own", () => {
  const [plan] = explain((db) => prepareRunReads(db).listAccepted("run", 9));
  expect(plan).toMatch(/SEARCH r USING INDEX runs_accepted/);
  expect(plan).not.toMatch(/SCAN \w|TEMP B-TREE/);
});

test("pending requests are listed and counted along an index that holds no decided ones, whatever the page", () => {
  const db = new Database(":memory:");
  migrate(db);
  // As they are prepared: a plan that holds only for the values of one call does not count.
  const prepare = vi.spyOn(db, "prepare");
  prepareApprovalReads(db);
  const queries = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes("status = 'pending'"));
  prepare.mockRestore();
  expect(queries).toHaveLength(2);
  for (const sql of queries) {
    const steps = db
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all({ workspaceId: 1, limit: 20, offset: 0 });
    const plan = steps.map(({ detail }) => detail).join("\n");
    expect(plan).toMatch(/SEARCH p USING (COVERING )?INDEX approvals_pending_by_workspace/);
    expect(plan).not.toMatch(/SCAN (?!page)/);
  }
});
