import { type ExecutorServices, executeRun } from "../../engine/execute-run.ts";
import { FencedError } from "../../engine/run-journal.ts";
import type { RunRecord } from "../../store/store.ts";

export type WorkerOptions = ExecutorServices & {
  /** Told of a run whose execution stopped at an error of the daemon's own; the run is tried again at the next start. */
  onError(error: unknown, runId: string): void;
};

export type Worker = {
  /** Queues a run that is durable as `accepted`. */
  wake(run: RunRecord): void;
  activeRuns(): number;
  /** Takes up what an earlier daemon left: running runs first, then accepted ones in their order (contract 5). */
  recover(): Promise<void>;
  /** No new step starts; settles when the runs in progress have parked, or after `drainMs` at the latest. */
  stop(drainMs: number): Promise<void>;
};

/** Accepted runs that are held in memory with their input; more of them wait in the store. */
const maxHeld = 1000;

/**
 * Executes accepted runs in the order in which they were accepted, `maxActiveRuns` at once, so that a slow run never
 * blocks a fast one. The store is the queue; what is held here is only its head.
 */
export function createWorker(options: WorkerOptions): Worker {
  return new RunWorker(options);
}

class RunWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #queue: RunRecord[] = [];
  readonly #active = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  /** More runs are accepted in the store than are held here. */
  #behind = false;
  #fetching = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  wake(run: RunRecord): void {
    if (this.#behind || this.#queue.length >= maxHeld) this.#behind = true;
    else this.#queue.push(run);
    this.#startNext();
  }

  activeRuns(): number {
    return this.#active.size;
  }

  async recover(): Promise<void> {
    this.#queue.push(...(await this.#options.store.recoverRuns(this.#options.world.now().getTime())));
    this.#behind = true;
    this.#startNext();
  }

  async stop(drainMs: number): Promise<void> {
    this.#stop.abort();
    const drained = Promise.allSettled(this.#active.values()).then(() => undefined);
    const { promise: overdue, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.world.after(drainMs, resolve);
    await Promise.race([drained, overdue]);
    cancel();
  }

  #startNext(): void {
    const { maxActiveRuns } = this.#options.limits;
    while (!this.#stop.signal.aborted && this.#active.size < maxActiveRuns) {
      const run = this.#queue.shift();
      if (!run) break;
      if (!this.#active.has(run.id)) this.#start(run);
    }
    if (this.#behind && this.#queue.length === 0 && !this.#stop.signal.aborted) void this.#fetchMore();
  }

  #start(run: RunRecord): void {
    const execution = executeRun(this.#options, run, this.#stop.signal).catch((error: unknown) => {
      if (!(error instanceof FencedError)) this.#options.onError(error, run.id);
    });
    this.#active.set(
      run.id,
      execution.then(() => {
        this.#active.delete(run.id);
        this.#startNext();
      }),
    );
  }

  /** Runs in progress count as accepted until their first commit, so they are fetched along and left out. */
  async #fetchMore(): Promise<void> {
    if (this.#fetching) return;
    this.#fetching = true;
    this.#behind = false;
    try {
      const limit = maxHeld + this.#active.size;
      const accepted = await this.#options.store.listAccepted(null, limit);
      const held = new Set(this.#queue.map((run) => run.id));
      this.#queue.push(...accepted.filter((run) => !held.has(run.id) && !this.#active.has(run.id)));
      this.#behind ||= accepted.length === limit;
    } catch (error) {
      this.#options.onError(error, "");
    } finally {
      this.#fetching = false;
    }
    if (this.#queue.length > 0) this.#startNext();
  }
}
