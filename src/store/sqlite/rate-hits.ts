import type { Database } from "better-sqlite3";
import type { RateHits } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export type HitBatch = { at: number; hits: readonly RateHits[] };

/** Nothing older counts in any window (spec 8). */
const windowMs = 60_000;

/**
 * Adds what was counted since the last batch, and deletes the batches that no window holds any more, those of a clock that
 * was set back since among them: each restart would count them anew until their time came again.
 */
export function prepareSaveHits(db: Database): (batch: HitBatch) => Effect<null> {
  const insert = db.prepare("INSERT INTO rate_hits (saved_at, key, times) VALUES (@at, @key, @times)");
  const forget = db.prepare("DELETE FROM rate_hits WHERE saved_at <= ? OR saved_at > ?");
  return ({ at, hits }) => {
    for (const { key, times } of hits) insert.run({ at, key, times: toBytes(times) });
    forget.run(at - windowMs, at);
    return answer(null);
  };
}

/** Batches that may hold a hit later than `since`, oldest first. */
export function prepareReadHits(db: Database): (since: number) => RateHits[] {
  const read = db.prepare<[number], { key: string; times: Buffer }>(
    "SELECT key, times FROM rate_hits WHERE saved_at > ? ORDER BY id",
  );
  return (since) => read.all(since).map(({ key, times }) => ({ key, times: fromBytes(times) }));
}

function toBytes(times: readonly number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(times).buffer);
}

/** Copied, since a blob may begin where no number may. */
function fromBytes(blob: Uint8Array): number[] {
  return [...new Float64Array(Uint8Array.from(blob).buffer)];
}
