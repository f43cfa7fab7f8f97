import type { Database } from "better-sqlite3";
import type { Store } from "../store.ts";
import { CommitQueue } from "./commit-queue.ts";
import { isInMemory, openReader, openWriter, type DatabasePlace } from "./connection.ts";
import { linkInline } from "./inline-link.ts";
import { RunWatch } from "./run-watch.ts";
import { readMethods } from "./store-reads.ts";
import { writeMethods } from "./store-writes.ts";
import { linkThread, startWriterFromSources, type StartWriter } from "./thread-link.ts";
import type { WriterLink } from "./writer-link.ts";

export type SqliteOptions = DatabasePlace & {
  /** Where writes execute: on a thread of their own, or on the caller's (tests, simulations, `:memory:`). */
  writer: "thread" | "inline";
  /** Starts the writer's thread; a bundle passes its own. */
  newWorker?: StartWriter;
  /** Told once when the writer is gone without having been closed, as after an I/O error: every later write rejects. */
  onBroken?: (error: Error) => void;
};

/**
 * Opens the database, creating or migrating it. Reads run on the calling thread. Rejects when the file cannot be used or
 * a newer Stepgate wrote it.
 */
export async function openSqliteStore({ writer, newWorker, onBroken, ...place }: SqliteOptions): Promise<Store> {
  if (isInMemory(place.file) && writer === "thread") {
    throw new Error("A database in memory has one connection: open it with an inline writer");
  }
  const watch = new RunWatch();
  let isOpen = false;
  const queue = new CommitQueue(
    (change) => watch.tell(change),
    (error) => isOpen && onBroken?.(error),
  );
  const own = writer === "inline" ? openWriter(place) : null;
  const link = own ? linkInline(own, queue) : await linkThread(place, newWorker ?? startWriterFromSources, queue);
  queue.connect(link);
  try {
    const reader = own && isInMemory(place.file) ? own.db : openReader(place);
    isOpen = true;
    return assemble(reader, link, queue, watch, () => (isOpen = false));
  } catch (error) {
    await link.close();
    throw error;
  }
}

function assemble(reader: Database, link: WriterLink, queue: CommitQueue, watch: RunWatch, onClose: () => void): Store {
  let closing: Promise<void> | null = null;
  const assertOpen = () => {
    if (closing) throw new Error("The store is closed");
  };
  const close = async () => {
    await queue.drain();
    onClose();
    // First, since the last connection to close is the one that removes the log.
    reader.close();
    await link.close();
  };
  return {
    ...readMethods(reader, assertOpen),
    ...writeMethods(async (operation) => {
      assertOpen();
      return queue.write(operation);
    }),
    watchRuns: (runId, listener) => watch.add(runId, listener),
    schemaVersion: () => link.schemaVersion,
    stats: () => queue.stats(),
    close: () => (closing ??= close()),
  };
}
