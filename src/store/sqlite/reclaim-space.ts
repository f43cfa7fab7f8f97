import type { Database } from "better-sqlite3";
import { answer, type Effect } from "./effect.ts";

/**
 * Gives up to so many free pages back to the file system and returns how many are left. The writer then moves the log into
 * the file, which makes it shorter.
 */
export function prepareReclaimSpace(db: Database): (pages: number) => Effect<number> {
  return (pages) => {
    // Gives back a page a row: all have to be read.
    db.pragma(`incremental_vacuum(${Math.max(1, Math.trunc(pages))})`);
    return answer(Number(db.pragma("freelist_count", { simple: true })));
  };
}
