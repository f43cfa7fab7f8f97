import type { OpenedWriter } from "./connection.ts";
import type { Operation } from "./operations.ts";
import { Writer } from "./writer.ts";
import { maxBatch, type WriterEvents, type WriterLink } from "./writer-link.ts";

/** Writes on the callers' own thread, for tests and simulations. */
export function linkInline({ db, schemaVersion }: OpenedWriter, events: WriterEvents): WriterLink {
  const writer = new Writer(db);
  return {
    schemaVersion,
    send(operations: Operation[]) {
      for (let at = 0; at < operations.length; at += maxBatch) {
        events.onCommit(writer.execute(operations.slice(at, at + maxBatch)));
      }
      if (writer.stopped) events.onEnd(writer.stopped);
    },
    async close() {
      writer.close();
    },
  };
}
