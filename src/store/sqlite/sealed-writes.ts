import type { Database } from "better-sqlite3";
import type { SealedPayload } from "../store.ts";
import { sealedKey } from "./event-row.ts";

export type SealedWrites = {
  /** Keeps originals of the run with this inside id. */
  add: (insideId: number, sealed: readonly SealedPayload[]) => void;
};

export function prepareSealedWrites(db: Database): SealedWrites {
  const insert = db.prepare("INSERT INTO sealed (id, content) VALUES (?, ?)");
  return {
    add(insideId, sealed) {
      for (const { place, content } of sealed) insert.run(sealedKey(insideId, place), content);
    },
  };
}
