import {
  type Ending,
  type Execution,
  type ExecutorServices,
  type RunPlace,
  executeRun,
} from "../../engine/execute-run.ts";
import { FencedError } from "../../engine/run-journal.ts";
import type { RunRecord } from "../../store/store.ts";

export type WorkerOptions = ExecutorServices & {
  /** Told of a run whose execution stopped at an error of the daemon's own; the run is tried again at the next start. */
  onError(error: unknown, runId: string): void;
};

export type Worker = {
  /** Queues a run that is durable as `accepted`. */
  wake(run: RunRecord): void;
  /** Has a run that was parked, or that is executed now, looked at again. */
  resume(run: RunPlace): void;
  /** Ends a run from outside in the commit of whoever executes it. False when it was over or the decision too late. */
  end(run: RunPlace, ending: Ending): Promise<boolean>;
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
 * blocks a fast one. The store is the queue; what is held here is only its head. Runs to resume stand in the same line,
 * by their ids alone.
 */
export function createWorker(options: WorkerOptions): Worker {
  return new RunWorker(options);
}

type Job = RunPlace & { load: () => RunRecord | Promise<RunRecord | null> };

class RunWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #queue: Job[] = [];
  /** Runs in the queue that are to be resumed. */
  readonly #resumed = new Set<string>();
  readonly #active = new Map<string, { execution: Execution; settled: Promise<void> }>();
  readonly #stop = new AbortController();
  /** More runs are accepted in the store than are held here. */
  #behind = false;
  #fetching = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  wake(run: RunRecord): void {
    if (this.#behind || this.#queue.length >= maxHeld) this.#behind = true;
    else this.#queue.push(jobOf(run));
    this.#startNext();
  }

  resume(run: RunPlace): void {
    const active = this.#active.get(run.id);
    if (active) return active.execution.poke();
    if (this.#resumed.has(run.id)) return;
    this.#resumed.add(run.id);
    this.#queue.push(this.#reload(run));
    this.#startNext();
  }

  async end(run: RunPlace, ending: Ending): Promise<boolean> {
    // Not in the line: to end a run takes no place among those that execute.
    const execution = this.#active.get(run.id)?.execution ?? this.#start(this.#reload(run));
    return execution.end(ending);
  }

  activeRuns(): number {
    return this.#active.size;
  }

  async recover(): Promise<void> {
    const runs = await this.#options.store.recoverRuns(this.#options.world.now().getTime());
    this.#queue.push(...runs.map(jobOf));
    this.#behind = true;
    this.#startNext();
  }

  async stop(drainMs: number): Promise<void> {
    this.#stop.abort();
    const drained = Promise.allSettled([...this.#active.values()].map(({ settled }) => settled)).then(() => undefined);
    const { promise: overdue, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.world.after(drainMs, resolve);
    await Promise.race([drained, overdue]);
    cancel();
  }

  #reload({ id, workspaceId }: RunPlace): Job {
    return { id, workspaceId, load: async () => this.#options.store.findRun(workspaceId, id) };
  }

  #startNext(): void {
    const { maxActiveRuns } = this.#options.limits;
    while (!this.#stop.signal.aborted && this.#active.size < maxActiveRuns) {
      const job = this.#queue.shift();
      if (!job) break;
      const isResumed = this.#resumed.delete(job.id);
      const active = this.#active.get(job.id);
      if (!active) this.#start(job);
      else if (isResumed) active.execution.poke();
    }
    if (this.#behind && this.#queue.length === 0 && !this.#stop.signal.aborted) void this.#fetchMore();
  }

  #start(job: Job): Execution {
    const execution = executeRun(this.#options, job.load, this.#stop.signal);
    const settled = execution.done
      .catch((error: unknown) => {
        if (!(error instanceof FencedError)) this.#options.onError(error, job.id);
      })
      .then(() => {
        this.#active.delete(job.id);
        // It was told to look while it parked.
        if (execution.isPoked && !this.#stop.signal.aborted) this.resume(job);
        this.#startNext();
      });
    this.#active.set(job.id, { execution, settled });
    return execution;
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
      this.#queue.push(...accepted.filter((run) => !held.has(run.id) && !this.#active.has(run.id)).map(jobOf));
      this.#behind ||= accepted.length === limit;
    } catch (error) {
      this.#options.onError(error, "");
    } finally {
      this.#fetching = false;
    }
    if (this.#queue.length > 0) this.#startNext();
  }
}

function jobOf(run: RunRecord): Job {
  return { id: run.id, workspaceId: run.workspaceId, load: () => run };
}
