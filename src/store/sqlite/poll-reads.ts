import type { Database } from "better-sqlite3";
import type { PollRecord } from "../store.ts";

type Row = Omit<PollRecord, "cursor" | "error"> & { cursor: string | null; error: string | null };

/** Where the poll of a subscription stands; null before the first. */
export function prepareFindPoll(db: Database): (subscriptionId: string) => PollRecord | null {
  const find = db.prepare<[string], Row>(
    `SELECT p.source, p.cursor, p.tried_at AS triedAt, p.polled_at AS polledAt, p.error, p.failures, p.revision
     FROM polls p JOIN subscriptions s ON s.id = p.subscription_id WHERE s.uuid = +?`,
  );
  return (subscriptionId) => {
    const row = find.get(subscriptionId);
    if (!row) return null;
    // Both were written by this store.
    const cursor = row.cursor === null ? null : (JSON.parse(row.cursor) as PollRecord["cursor"]);
    return { ...row, cursor, error: row.error === null ? null : (JSON.parse(row.error) as PollRecord["error"]) };
  };
}
