import type { Database } from "better-sqlite3";
import type { DueOwner, NewDue } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

/** Changes of the moments of runs, by the run's inside id. */
export type DueWrites = {
  /** One that is there already stays as it is. */
  add: (runId: number, moments: readonly NewDue[]) => void;
  remove: (runId: number, owners: readonly DueOwner[]) => void;
  removeAll: (runId: number) => void;
};

export function prepareDueWrites(db: Database): DueWrites {
  const insert = db.prepare(
    "INSERT INTO due (at, kind, run_id, owner, detail) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const remove = db.prepare("DELETE FROM due WHERE run_id = +? AND kind = +? AND owner = +?");
  const removeAll = db.prepare("DELETE FROM due WHERE run_id = +?");
  return {
    add(runId, moments) {
      for (const { at, kind, owner, detail } of moments) {
        insert.run(at, kind, runId, owner, detail === undefined ? null : JSON.stringify(detail));
      }
    },
    remove(runId, owners) {
      for (const { kind, owner } of owners) remove.run(runId, kind, owner);
    },
    removeAll: (runId) => void removeAll.run(runId),
  };
}

export type DueRemoval = DueOwner & { runId: string };

export function prepareRemoveDue(db: Database): (moment: DueRemoval) => Effect<null> {
  const remove = db.prepare<[DueRemoval]>(
    "DELETE FROM due WHERE run_id = (SELECT id FROM runs WHERE uuid = @runId) AND kind = @kind AND owner = @owner",
  );
  return ({ runId, kind, owner }) => {
    remove.run({ runId, kind, owner });
    return answer(null);
  };
}
