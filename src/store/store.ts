import type { KeyStore, RateStore, WorkspaceStore } from "./access-store.ts";
import type { BreakerStore } from "./breaker-store.ts";
import type { ConnectorStore } from "./connector-store.ts";
import type { EventStore } from "./event-store.ts";
import type { FileStore } from "./file-store.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { MomentStore } from "./moment-store.ts";
import type { ApprovalStore, DueStore } from "./people-store.ts";
import type { RunLogStore } from "./run-log-store.ts";
import type { RunStore } from "./run-store.ts";
import type { ConnectionStore, ValueStore } from "./secret-store.ts";
import type { TriggerStore } from "./trigger-store.ts";
import type { WorkflowStore } from "./workflow-store.ts";

export type * from "./access-store.ts";
export type * from "./connector-store.ts";
export type * from "./breaker-store.ts";
export type * from "./file-store.ts";
export type * from "./event-store.ts";
export type * from "./memory-store.ts";
export type * from "./moment-store.ts";
export type * from "./people-store.ts";
export type * from "./run-change.ts";
export type * from "./run-commit.ts";
export type * from "./run-log-store.ts";
export type * from "./run-store.ts";
export type * from "./secret-store.ts";
export type * from "./trigger-store.ts";
export type * from "./workflow-store.ts";

/**
 * The store's promise: every method is one whole transaction, and a promise settles only when what it tells is
 * durable (fsynced). A failing write changes nothing and fails alone. Guards stand in the WHERE clause, so that of
 * several callers exactly one wins. Ids are UUIDv7 text outside; times are epoch milliseconds.
 */
export type Store = WorkspaceStore &
  KeyStore &
  RateStore &
  WorkflowStore &
  ConnectorStore &
  TriggerStore &
  EventStore &
  RunStore &
  MemoryStore &
  RunLogStore &
  BreakerStore &
  FileStore &
  ConnectionStore &
  ValueStore &
  ApprovalStore &
  MomentStore &
  DueStore & {
    /** Number of the newest migration that was applied. */
    schemaVersion(): number;
    /** How many writes shared how many commits since the store was opened. */
    stats(): { commits: number; writes: number };
    /** Waits for the writes that were asked for, then closes. Later calls reject. */
    close(): Promise<void>;
  };
