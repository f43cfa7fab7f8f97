import type { Database } from "better-sqlite3";
import type { DueRecord, DueStore, FreeMoment, FreeMomentKind } from "../store.ts";

type DueRow = Omit<DueRecord, "detail"> & { detail: string | null };
/** Of no run, and so without a detail and a workspace. */
type FreeRow = FreeMoment & { runId: null };
type Range = Parameters<DueStore["listDue"]>[0];

export type DueReads = {
  listDue: (range: Range) => (DueRecord | FreeMoment)[];
  listMoments: (kind: FreeMomentKind) => { owner: string; at: number }[];
  nextDueAt: (after: number) => number | null;
  listRunDue: (runId: string) => DueRecord[];
};

const columns = `d.id, d.at, d.kind, d.owner, d.detail, r.uuid AS runId, r.workspace_id AS workspaceId`;

/** Reads of the moments at which something has to happen. */
export function prepareDueReads(db: Database): DueReads {
  const between = db.prepare<[number, number, number, number], DueRow | FreeRow>(
    `SELECT ${columns} FROM due d LEFT JOIN runs r ON r.id = d.run_id
     WHERE (d.at, d.id) > (+?, +?) AND d.at <= +? ORDER BY d.at, d.id LIMIT +?`,
  );
  const next = db.prepare<[number], { at: number | null }>("SELECT MIN(at) AS at FROM due WHERE at > +?");
  const ofRun = db.prepare<[string], DueRow>(
    `SELECT ${columns} FROM due d JOIN runs r ON r.id = d.run_id WHERE r.uuid = ? ORDER BY d.at, d.id`,
  );
  const free = db.prepare<[string], { owner: string; at: number }>(
    "SELECT owner, at FROM due WHERE run_id IS NULL AND kind = ?",
  );
  return {
    listDue: ({ after, until, limit }) =>
      between
        .all(after.at, after.id, until, limit)
        .map((row) =>
          row.runId === null ? { id: row.id, kind: row.kind, owner: row.owner, at: row.at } : decode(row),
        ),
    listMoments: (kind) => free.all(kind),
    nextDueAt: (after) => next.get(after)?.at ?? null,
    listRunDue: (runId) => ofRun.all(runId).map(decode),
  };
}

function decode({ detail, ...row }: DueRow): DueRecord {
  return detail === null ? row : { ...row, detail: JSON.parse(detail) };
}
