import type { Database } from "better-sqlite3";
import type { MomentStore } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export type MomentChange = Parameters<MomentStore["setMoment"]>[0];

/** Sets or removes a moment that belongs to no run. */
export function prepareSetMoment(db: Database): (change: MomentChange) => Effect<null> {
  const insert = db.prepare(
    `INSERT INTO due (at, kind, run_id, owner) VALUES (@at, @kind, NULL, @owner)
     ON CONFLICT (kind, owner) WHERE run_id IS NULL DO UPDATE SET at = excluded.at`,
  );
  const remove = db.prepare("DELETE FROM due WHERE run_id IS NULL AND kind = @kind AND owner = @owner");
  return ({ kind, owner, at }) => {
    if (at === null) remove.run({ kind, owner });
    else insert.run({ kind, owner, at });
    return answer(null);
  };
}
