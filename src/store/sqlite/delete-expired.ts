import type { Database } from "better-sqlite3";
import type { Expiry, ExpiryProgress } from "../store.ts";
import { isTerminalCode } from "./codes.ts";
import { answer, type Effect } from "./effect.ts";
import { journalKey, runOfKey } from "./event-row.ts";
import { prepareRunCounts, type CountedRun } from "./run-counts.ts";

/** Runs that one batch looks at: what is kept is passed over without holding up other writes for long. */
const maxLooks = 500;

export type OldRun = CountedRun & { id: number; createdAt: number; completedAt: number | null };

/** What one kind of expiry deletes of a run; tells how many rows that were, `most` at most. */
type Walk = {
  /** The next run at or behind this inside id that has anything to delete; null when there is none. */
  next: (from: number) => number | null;
  delete: (run: OldRun, most: number) => number;
};

/**
 * Deletes a batch of what has had its time. Runs are walked in the order of their creation and the walk ends at the first
 * that was created too late to have expired, so that a batch costs what it deletes and not what there is.
 */
export function prepareDeleteExpired(db: Database): (expiry: Expiry) => Effect<ExpiryProgress> {
  const walks = prepareWalks(db);
  const findRun = db.prepare<[number], OldRun>(
    `SELECT id, workspace_id AS workspaceId, action_id AS actionId, source, status, created_at AS createdAt,
       completed_at AS completedAt FROM runs WHERE id = +?`,
  );
  return ({ what, before, from, limit }) => {
    let deleted = 0;
    let at = from;
    for (let looks = 0; looks < maxLooks && deleted < limit; looks += 1) {
      const id = walks[what].next(at);
      const run = id === null ? undefined : findRun.get(id);
      if (!run || run.createdAt >= before) return answer({ deleted, next: null });
      if (isExpired(run, before)) deleted += walks[what].delete(run, limit - deleted);
      // A run of which more is left than a batch takes is looked at again.
      at = deleted < limit ? run.id + 1 : run.id;
    }
    return answer({ deleted, next: at });
  };
}

function isExpired({ status, completedAt, createdAt }: OldRun, before: number): boolean {
  return isTerminalCode(status) && (completedAt ?? createdAt) < before;
}

function prepareWalks(db: Database): Record<Expiry["what"], Walk> {
  const sealed = prepareKeyed(db, "sealed");
  const journals = prepareKeyed(db, "journal");
  const nextRun = db.prepare<[number], { id: number }>("SELECT id FROM runs WHERE id >= +? ORDER BY id LIMIT 1");
  const deleteRun = db.prepare("DELETE FROM runs WHERE id = ?");
  const counts = prepareRunCounts(db);
  return {
    sealed,
    journals,
    runs: {
      next: (from) => nextRun.get(from)?.id ?? null,
      delete(run, most) {
        let rows = sealed.delete(run, most);
        if (rows < most) rows += journals.delete(run, most - rows);
        if (rows >= most) return rows;
        deleteRun.run(run.id);
        counts.add(run, -1);
        return rows + 1;
      },
    },
  };
}

/** Deletes runs with all that belongs to them. */
export function prepareRunWalk(db: Database): Walk {
  return prepareWalks(db).runs;
}

/** A table with the journal's keys. */
function prepareKeyed(db: Database, table: "sealed" | "journal"): Walk {
  const nextKey = db.prepare<[number], { id: number }>(`SELECT id FROM ${table} WHERE id >= +? ORDER BY id LIMIT 1`);
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE id >= +? AND id < +? ORDER BY id LIMIT +?)`,
  );
  return {
    next(from) {
      const row = nextKey.get(journalKey(from, 0));
      return row ? runOfKey(row.id) : null;
    },
    delete: ({ id }, most) => remove.run(journalKey(id, 0), journalKey(id + 1, 0), most).changes,
  };
}
