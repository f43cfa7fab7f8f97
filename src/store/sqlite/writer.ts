import type { Database, Statement } from "better-sqlite3";
import { crashPoint } from "./crash-point.ts";
import { perform, prepareOperations, type Operation, type Operations } from "./operations.ts";
import { flattenError, sqliteCode, type Outcome } from "./outcome.ts";

/**
 * Executes batches of operations on the one connection that writes. A batch is one transaction and one fsync. An operation
 * that fails leaves nothing behind and the others stand: the batch is then done over with a savepoint for each, which is
 * sound because an operation depends on the database and its input alone.
 */
export class Writer {
  readonly #db: Database;
  readonly #operations: Operations;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #save: Statement;
  readonly #release: Statement;
  readonly #undo: Statement;
  #stopped: Error | null = null;

  constructor(db: Database) {
    this.#db = db;
    this.#operations = prepareOperations(db);
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#rollback = db.prepare("ROLLBACK");
    this.#save = db.prepare("SAVEPOINT operation");
    this.#release = db.prepare("RELEASE operation");
    this.#undo = db.prepare("ROLLBACK TO operation");
  }

  /** Why it takes no more writes; null as long as it does. */
  get stopped(): Error | null {
    return this.#stopped;
  }

  /** One outcome for each operation, in order. What is reported as done is on the disk. */
  execute(batch: readonly Operation[]): Outcome[] {
    if (this.#stopped) return failAll(batch, this.#stopped);
    try {
      const outcomes = this.#commitAll(batch) ?? this.#commitEach(batch);
      if (batch.some(({ name }) => name === "reclaimSpace")) this.#shorten();
      return outcomes;
    } catch (error) {
      if (isDamage(error)) this.#stop(error);
      else this.#rollBack();
      return failAll(batch, error);
    }
  }

  /** Pages given back are cut off the file when the log is moved into it. */
  #shorten(): void {
    this.#db.pragma("wal_checkpoint(PASSIVE)");
  }

  /** Moves the log into the database file and closes it. */
  close(): void {
    if (!this.#db.open) return;
    try {
      crashPoint("checkpoint.before");
      this.#db.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      this.#db.close();
    }
  }

  /** All or nothing, without the cost of savepoints; undefined, and nothing done, when one operation fails. */
  #commitAll(batch: readonly Operation[]): Outcome[] | undefined {
    this.#beginBatch();
    const outcomes: Outcome[] = [];
    try {
      for (const operation of batch) outcomes.push(this.#perform(operation));
    } catch (error) {
      if (isDamage(error)) throw error;
      this.#rollBack();
      return undefined;
    }
    this.#commitBatch();
    return outcomes;
  }

  /** Each in a savepoint of its own. */
  #commitEach(batch: readonly Operation[]): Outcome[] {
    this.#beginBatch();
    const outcomes = batch.map((operation) => this.#attempt(operation));
    this.#commitBatch();
    return outcomes;
  }

  #attempt(operation: Operation): Outcome {
    this.#save.run();
    try {
      const outcome = this.#perform(operation);
      this.#release.run();
      return outcome;
    } catch (error) {
      // Some errors make SQLite roll back the whole transaction by itself: then the batch is lost, not this alone.
      if (isDamage(error) || !this.#db.inTransaction) throw error;
      this.#undo.run();
      this.#release.run();
      return { ok: false, error: flattenError(error) };
    }
  }

  #perform(operation: Operation): Outcome {
    const effect = perform(this.#operations, operation);
    crashPoint("operation.after");
    return { ok: true, ...effect };
  }

  #beginBatch(): void {
    this.#begin.run();
    crashPoint("batch.begin");
  }

  #commitBatch(): void {
    crashPoint("commit.before");
    this.#commit.run();
    crashPoint("commit.after");
  }

  #rollBack(): void {
    if (this.#db.inTransaction) this.#rollback.run();
  }

  /**
   * After a failed fsync nobody knows what the disk holds, and asking again can report a success that is none. Only a
   * new process that reads the file afresh can tell.
   */
  #stop(error: unknown): void {
    const reason = flattenError(error).message;
    this.#stopped = new Error(
      `The store takes no more writes after an I/O error; check the disk and restart. ${reason}`,
    );
    this.#db.close();
  }
}

function failAll(batch: readonly Operation[], reason: unknown): Outcome[] {
  const error = flattenError(reason);
  return batch.map(() => ({ ok: false, error }));
}

function isDamage(error: unknown): boolean {
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(sqliteCode(error) ?? "");
}
