import type { Database } from "better-sqlite3";
import type { BreakerRecord } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

type Row = {
  workspaceId: number;
  connector: string;
  connectionId: string;
  target: string;
  failures: string;
  openedAt: number | null;
  openings: number;
};

/** Replaces a breaker's row; what is absent of its name is the empty text there, for a key has no nulls. */
export function prepareSaveBreaker(db: Database): (record: BreakerRecord) => Effect<null> {
  const upsert = db.prepare(
    `INSERT OR REPLACE INTO breakers (workspace_id, connector, connection_id, target, failures, opened_at, openings)
     VALUES (@workspaceId, @connector, @connectionId, @target, @failures, @openedAt, @openings)`,
  );
  const remove = db.prepare(
    `DELETE FROM breakers WHERE workspace_id = @workspaceId AND connector = @connector
       AND connection_id = @connectionId AND target = @target`,
  );
  return ({ workspaceId, connector, connectionId, target, state }) => {
    const key = { workspaceId, connector, connectionId: connectionId ?? "", target: target ?? "" };
    if (!state) remove.run(key);
    else {
      const { failures, opening } = state;
      const openedAt = opening?.at ?? null;
      upsert.run({ ...key, failures: JSON.stringify(failures), openedAt, openings: opening?.times ?? 0 });
    }
    return answer(null);
  };
}

export function prepareListBreakers(db: Database): () => BreakerRecord[] {
  const select = db.prepare<[], Row>(
    `SELECT workspace_id AS workspaceId, connector, connection_id AS connectionId, target, failures,
       opened_at AS openedAt, openings FROM breakers`,
  );
  return () => select.all().map(toRecord);
}

function toRecord({ workspaceId, connector, connectionId, target, failures, openedAt, openings }: Row): BreakerRecord {
  const opening = openedAt === null ? null : { at: openedAt, times: openings };
  const place = { workspaceId, connector, connectionId: connectionId || null, target: target || null };
  // Only this file writes the column.
  return { ...place, state: { failures: JSON.parse(failures) as number[], opening } };
}
