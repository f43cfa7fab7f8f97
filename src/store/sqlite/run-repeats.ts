import type { Database } from "better-sqlite3";
import type { NewRun } from "../store.ts";

/** How long a key stands for the run that it started (contract 6). */
const repeatMs = 24 * 3_600_000;

type Idempotency = NonNullable<NewRun["idempotency"]>;

/** Finds what a key started, if it still stands for it. Serves both the connection that reads and the one that writes. */
export function prepareFindRepeat(
  db: Database,
): (id: Uint8Array, at: number) => { runId: string; body: Uint8Array } | null {
  const find = db.prepare<[Uint8Array, number], { runId: string; body: Uint8Array }>(
    `SELECT r.uuid AS runId, i.body AS body FROM idempotency i JOIN runs r ON r.id = i.run_id
     WHERE i.id = +? AND i.created_at > +?`,
  );
  return (id, at) => find.get(id, at - repeatMs) ?? null;
}

export type RunRepeats = {
  /** The answer when the key was used before; null when it is free. */
  find: (key: Idempotency, at: number) => { kind: "repeated"; runId: string } | { kind: "idempotency_conflict" } | null;
  /** Notes what a free key started, and forgets some keys whose time is over. */
  note: (key: Idempotency, runId: number, at: number) => void;
};

export function prepareRunRepeats(db: Database): RunRepeats {
  const find = prepareFindRepeat(db);
  // More than one for each that is added, so that the table does not grow for ever.
  const forget = db.prepare<[number]>(
    `DELETE FROM idempotency
     WHERE id IN (SELECT id FROM idempotency WHERE created_at <= +? ORDER BY created_at LIMIT 2)`,
  );
  const insert = db.prepare(
    `INSERT INTO idempotency (id, body, run_id, created_at) VALUES (@id, @body, @runId, @at)
     ON CONFLICT (id) DO UPDATE SET body = excluded.body, run_id = excluded.run_id, created_at = excluded.created_at`,
  );
  return {
    find({ id, body }, at) {
      const known = find(id, at);
      if (!known) return null;
      const isSame = Buffer.compare(known.body, body) === 0;
      return isSame ? { kind: "repeated", runId: known.runId } : { kind: "idempotency_conflict" };
    },
    note({ id, body }, runId, at) {
      forget.run(at - repeatMs);
      insert.run({ id, body, runId, at });
    },
  };
}
