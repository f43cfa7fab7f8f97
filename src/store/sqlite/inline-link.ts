import type { Database } from "better-sqlite3";
import { migrate } from "./migrate.ts";
import type { Operation } from "./operations.ts";
import { Writer } from "./writer.ts";
import { maxBatch, type WriterEvents, type WriterLink } from "./writer-link.ts";

/** Writes on the callers' own thread, for tests and simulations. */
export function linkInline(db: Database, events: WriterEvents): WriterLink {
  const schemaVersion = migrate(db);
  const writer = new Writer(db);
  return {
    schemaVersion,
    send(operations: Operation[]) {
      for (let at = 0; at < operations.length; at += maxBatch) {
        events.onCommit(writer.execute(operations.slice(at, at + maxBatch)));
      }
    },
    async close() {
      writer.close();
    },
  };
}
