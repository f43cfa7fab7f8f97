import type { Database } from "better-sqlite3";
import type { ChildRun, NewRun, ParentRun } from "../store.ts";
import { isTerminalCode, statusCodes } from "./codes.ts";

type Parent = NonNullable<NewRun["parent"]>;

/** Why a step may not start a run, or the one that it started before. */
export type ChildRefusal = { kind: "repeated"; runId: string } | { kind: "parent_over" } | { kind: "too_deep" };

export type ChildRunWrites = {
  /** Null: the step may start a run. */
  check: (parent: Parent) => ChildRefusal | null;
  add: (parent: Parent, insideId: number) => void;
  /**
   * Leaves a moment for whoever waits for a run that ends, and one for the runs that it waits for itself; true when there
   * is one now.
   */
  noteEnd: (run: { id: number; uuid: string }, at: number) => boolean;
};

/** How a run's children are started once and end with it, in the transactions of both. */
export function prepareChildRuns(db: Database): ChildRunWrites {
  const known = db.prepare<[string, string], { runId: string }>(
    "SELECT r.uuid AS runId FROM child_runs c JOIN runs r ON r.id = c.run_id WHERE c.parent = +? AND c.step = +?",
  );
  const parentOf = db.prepare<[string], { status: number; depth: number }>(
    `SELECT r.status AS status, COALESCE(c.depth, 0) AS depth
     FROM runs r LEFT JOIN child_runs c ON c.run_id = r.id WHERE r.uuid = +?`,
  );
  const insert = db.prepare(
    `INSERT INTO child_runs (run_id, parent, step, depth)
     SELECT ?, r.uuid, ?, COALESCE(c.depth, 0) + 1 FROM runs r LEFT JOIN child_runs c ON c.run_id = r.id WHERE r.uuid = ?`,
  );
  const tellParent = db.prepare(
    `INSERT INTO due (at, kind, run_id, owner) SELECT ?, 'child_ended', run_id, parent FROM child_runs WHERE run_id = +?
     ON CONFLICT DO NOTHING`,
  );
  const endOpen = db.prepare(
    `INSERT INTO due (at, kind, run_id, owner) SELECT ?, 'end_children', ?, '' WHERE EXISTS
       (SELECT 1 FROM child_runs c JOIN runs r ON r.id = c.run_id
        WHERE c.parent = +? AND r.status < ${statusCodes.encode("succeeded")})
     ON CONFLICT DO NOTHING`,
  );
  const shareFiles = db.prepare(
    `INSERT INTO file_uses (run_id, file_id)
     SELECT r.id, u.file_id FROM child_runs c JOIN runs r ON r.uuid = c.parent JOIN file_uses u ON u.run_id = c.run_id
     WHERE c.run_id = +? ON CONFLICT DO NOTHING`,
  );
  return {
    check({ runId, step, maxDepth }) {
      const child = known.get(runId, step);
      if (child) return { kind: "repeated", ...child };
      const parent = parentOf.get(runId);
      if (!parent || isTerminalCode(parent.status)) return { kind: "parent_over" };
      return parent.depth >= maxDepth ? { kind: "too_deep" } : null;
    },
    add: ({ runId, step }, insideId) => void insert.run(insideId, step, runId),
    noteEnd({ id, uuid }, at) {
      const told = tellParent.run(at, id).changes;
      // What the parent gets of it may refer to its files.
      if (told > 0) shareFiles.run(id);
      return told + endOpen.run(at, id, uuid).changes > 0;
    },
  };
}

export type ChildRunReads = {
  listChildren: (runId: string, step?: string) => ChildRun[];
  findParent: (runId: string) => ParentRun | null;
};

type ChildRow = { runId: string; step: string; status: number };

export function prepareChildReads(db: Database): ChildRunReads {
  const select = `SELECT r.uuid AS runId, c.step AS step, r.status AS status FROM child_runs c JOIN runs r ON r.id = c.run_id
     WHERE c.parent = ?`;
  const children = db.prepare<[string], ChildRow>(`${select} ORDER BY r.id`);
  // Its own statement, for SQLite plans for both parts of the index only where the step is always given.
  const childOfStep = db.prepare<[string, string], ChildRow>(`${select} AND c.step = ?`);
  const parent = db.prepare<[string], ParentRun>(
    "SELECT c.parent AS runId, c.step AS step FROM child_runs c JOIN runs r ON r.id = c.run_id WHERE r.uuid = ?",
  );
  return {
    listChildren: (runId, step?) =>
      (step === undefined ? children.all(runId) : childOfStep.all(runId, step)).map(({ status, ...child }) => ({
        ...child,
        status: statusCodes.decode(status),
      })),
    findParent: (runId) => parent.get(runId) ?? null,
  };
}
