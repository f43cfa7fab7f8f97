import type { Operation } from "./operations.ts";
import type { Outcome } from "./outcome.ts";

/** The way from the callers' thread to the writer, wherever that runs. */
export type WriterLink = {
  /** Number of the newest migration in the database. */
  schemaVersion: number;
  /** Has operations executed, in order; their outcomes arrive in that order, one call of `onCommit` for each commit. */
  send(operations: Operation[]): void;
  /** Closes the database; all that was sent has to be answered before. */
  close(): Promise<void>;
};

export type WriterEvents = {
  onCommit(outcomes: readonly Outcome[]): void;
  /** The writer is gone: nothing more will be answered. */
  onEnd(error: Error): void;
};

/** Operations of one commit: enough to make its fsync cheap, few enough that the first does not wait long. */
export const maxBatch = 512;
