import type { Database } from "better-sqlite3";
import type { DueRecord, DueStore } from "../store.ts";

type DueRow = Omit<DueRecord, "detail"> & { detail: string | null };
type Range = Parameters<DueStore["listDue"]>[0];

export type DueReads = {
  listDue: (range: Range) => DueRecord[];
  nextDueAt: (after: number) => number | null;
  listRunDue: (runId: string) => DueRecord[];
};

const columns = `d.id, d.at, d.kind, d.owner, d.detail, r.uuid AS runId, r.workspace_id AS workspaceId`;

/** Reads of the moments at which something has to happen. */
export function prepareDueReads(db: Database): DueReads {
  const between = db.prepare<[number, number, number, number], DueRow>(
    `SELECT ${columns} FROM due d JOIN runs r ON r.id = d.run_id
     WHERE (d.at, d.id) > (+?, +?) AND d.at <= +? ORDER BY d.at, d.id LIMIT +?`,
  );
  const next = db.prepare<[number], { at: number | null }>("SELECT MIN(at) AS at FROM due WHERE at > +?");
  const ofRun = db.prepare<[string], DueRow>(
    `SELECT ${columns} FROM due d JOIN runs r ON r.id = d.run_id WHERE r.uuid = ? ORDER BY d.at, d.id`,
  );
  return {
    listDue: ({ after, until, limit }) => between.all(after.at, after.id, until, limit).map(decode),
    nextDueAt: (after) => next.get(after)?.at ?? null,
    listRunDue: (runId) => ofRun.all(runId).map(decode),
  };
}

function decode({ detail, ...row }: DueRow): DueRecord {
  return detail === null ? row : { ...row, detail: JSON.parse(detail) };
}
