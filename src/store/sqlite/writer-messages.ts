import type { DatabasePlace } from "./connection.ts";
import type { Operation } from "./operations.ts";
import type { Outcome, PlainError } from "./outcome.ts";

/** What the writer's thread is started with. */
export type WriterData = DatabasePlace;

export type WriterRequest = { kind: "write"; operations: Operation[] } | { kind: "close" };

export type WriterReply =
  | { kind: "ready"; schemaVersion: number }
  /** It could not open the database and ends. */
  | { kind: "failed"; error: PlainError }
  | { kind: "committed"; outcomes: Outcome[] }
  /** It takes no more writes; only a new process can. */
  | { kind: "stopped"; error: PlainError }
  | { kind: "closed"; error: PlainError | null };
