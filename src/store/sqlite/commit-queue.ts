import type { RunChange } from "../store.ts";
import { crashPoint } from "./crash-point.ts";
import type { Operation, OperationName, OperationValue } from "./operations.ts";
import { restoreError, type Outcome } from "./outcome.ts";
import type { WriterEvents, WriterLink } from "./writer-link.ts";

/** Since the store was opened. */
export type WriteStats = { commits: number; writes: number };

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

/**
 * Group commit: what is asked for within one turn of the event loop goes to the writer together, without a timer.
 * Changes are told, and promises settle, once they are durable, in the order in which they were asked for.
 */
export class CommitQueue implements WriterEvents {
  readonly #tell: (change: RunChange) => void;
  readonly #onEnded: (error: Error) => void;
  readonly #waiting: Waiting[] = [];
  readonly #stats: WriteStats = { commits: 0, writes: 0 };
  #link: WriterLink | null = null;
  #next: Operation[] = [];
  #whenIdle: (() => void) | null = null;
  #ended: Error | null = null;

  constructor(tell: (change: RunChange) => void, onEnded: (error: Error) => void = () => undefined) {
    this.#tell = tell;
    this.#onEnded = onEnded;
  }

  /** To be called once, before the first write. */
  connect(link: WriterLink): void {
    this.#link = link;
  }

  /** Settles when the operation is durable, or rejects when nothing of it happened. */
  write<N extends OperationName>(operation: Operation<N>): Promise<OperationValue<N>>;
  write(operation: Operation): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (this.#next.length === 0) setImmediate(() => this.#flush());
    this.#next.push(operation);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Settles when nothing is under way. */
  async drain(): Promise<void> {
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  stats(): WriteStats {
    return { ...this.#stats };
  }

  onCommit(outcomes: readonly Outcome[]): void {
    crashPoint("settle.before");
    this.#stats.commits += 1;
    this.#stats.writes += outcomes.length;
    const settled = this.#waiting.splice(0, outcomes.length);
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.ok) for (const change of outcome.changes) this.#tell(change);
      if (outcome.ok) settled[at]?.resolve(outcome.value);
      else settled[at]?.reject(restoreError(outcome.error));
    }
    if (this.#waiting.length === 0) this.#whenIdle?.();
  }

  onEnd(error: Error): void {
    if (!this.#ended) this.#onEnded(error);
    this.#ended ??= error;
    this.#next = [];
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#whenIdle?.();
  }

  #flush(): void {
    const operations = this.#next;
    this.#next = [];
    if (operations.length > 0) this.#link?.send(operations);
  }
}
