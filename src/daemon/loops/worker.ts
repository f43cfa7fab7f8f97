import {
  type Execution,
  type ExecutorServices,
  type RunPlace,
  executeRun,
} from "../../engine/execution/execute-run.ts";
import type { Ending } from "../../engine/execution/run-inbox.ts";
import { FencedError } from "../../engine/execution/run-journal.ts";
import { isTerminal } from "../../contract/run.ts";
import type { RunRecord } from "../../store/store.ts";
import { WriteRefused, refusedPauseMs } from "../../store/write-refused.ts";
import { type WorkflowLine, WorkflowLines, takePlace } from "./workflow-lines.ts";

export type WorkerOptions = ExecutorServices & {
  /**
   * Told of a run whose execution stopped at an error of the daemon's own. It goes on from its journal within seconds where
   * the store refused a write for now, else at the next start.
   */
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

type Job = RunPlace & {
  load: () => RunRecord | Promise<RunRecord | null>;
  /** Where its workflow bounds its runs. */
  line: WorkflowLine<Job> | null;
};

class RunWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #queue: Job[] = [];
  readonly #lines: WorkflowLines<Job>;
  /** Runs in the queue that are to be resumed. */
  readonly #resumed = new Set<string>();
  readonly #active = new Map<string, { execution: Execution; settled: Promise<void> }>();
  readonly #stop = new AbortController();
  /** More runs are accepted in the store than are held here. */
  #behind = false;
  #fetching = false;
  /** Runs that a refused write broke off, until they are tried again. They keep their places in a line. */
  readonly #brokenOff = new Map<string, RunPlace>();
  #cancelRetry: (() => void) | null = null;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#lines = new WorkflowLines(options);
  }

  wake(run: RunRecord): void {
    void this.#enqueue(run);
  }

  async #enqueue(run: RunRecord): Promise<void> {
    try {
      const job = await this.#jobOf(run);
      if (this.#behind || this.#queue.length >= maxHeld) this.#behind = true;
      else this.#queue.push(job);
    } catch (error) {
      this.#options.onError(error, run.id);
    }
    this.#startNext();
  }

  async #jobOf(run: RunRecord): Promise<Job> {
    const line = await this.#lines.find(run);
    // One that may stand in line for long is read again, so that its input is not kept.
    return line ? { ...this.#reload(run), line } : { ...this.#reload(run), load: () => run };
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
    this.#options.store.watchRuns(null, ({ runId, status }) => {
      if (isTerminal(status)) this.#leaveLine(runId);
    });
    // What has begun takes no place in a line: it has one.
    this.#queue.push(...runs.map((run) => ({ ...this.#reload(run), load: () => run })));
    this.#behind = true;
    this.#startNext();
  }

  async stop(drainMs: number): Promise<void> {
    this.#stop.abort();
    this.#cancelRetry?.();
    const drained = Promise.allSettled([...this.#active.values()].map(({ settled }) => settled)).then(() => undefined);
    const { promise: overdue, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.world.after(drainMs, resolve);
    await Promise.race([drained, overdue]);
    cancel();
    // What is taken away from a step now, its sockets and its script's process, must not count as its failure.
    for (const { execution } of this.#active.values()) execution.abandon();
  }

  #reload({ id, workspaceId }: RunPlace): Job {
    return { id, workspaceId, load: async () => this.#options.store.findRun(workspaceId, id), line: null };
  }

  #leaveLine(runId: string): void {
    const freed = this.#lines.leave(runId);
    if (freed.length === 0) return;
    this.#queue.unshift(...freed);
    this.#startNext();
  }

  #startNext(): void {
    const { maxActiveRuns } = this.#options.limits;
    while (!this.#stop.signal.aborted && this.#active.size < maxActiveRuns) {
      const job = this.#queue.shift();
      if (!job) break;
      const isResumed = this.#resumed.delete(job.id);
      const active = this.#active.get(job.id);
      if (!active) {
        if (!job.line || takePlace(job.line, job)) this.#start(job);
      } else if (isResumed) active.execution.poke();
    }
    if (this.#behind && this.#queue.length === 0 && !this.#stop.signal.aborted) void this.#fetchMore();
  }

  #start(job: Job): Execution {
    const execution = executeRun(this.#options, job.load, this.#stop.signal);
    const settled = execution.done
      .catch((error: unknown) => {
        if (!(error instanceof FencedError)) this.#options.onError(error, job.id);
        if (error instanceof WriteRefused) this.#retryLater(job);
        else this.#leaveLine(job.id);
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

  #retryLater({ id, workspaceId }: RunPlace): void {
    if (this.#stop.signal.aborted) return;
    this.#brokenOff.set(id, { id, workspaceId });
    this.#cancelRetry ??= this.#options.world.after(refusedPauseMs, () => {
      this.#cancelRetry = null;
      const runs = [...this.#brokenOff.values()];
      this.#brokenOff.clear();
      for (const run of runs) this.resume(run);
    });
  }

  /** Runs in progress count as accepted until their first commit, so they are fetched along and left out. */
  async #fetchMore(): Promise<void> {
    if (this.#fetching) return;
    this.#fetching = true;
    this.#behind = false;
    try {
      const limit = maxHeld + this.#active.size;
      const isNew = ({ id }: RunRecord) => !held.has(id) && !this.#active.has(id) && !this.#lines.holds(id);
      const held = new Set(this.#queue.map((run) => run.id));
      // Further on when all that was read stands in a workflow's line: the runs behind it must not wait for it.
      let isFull = true;
      for (let after: string | null = null; isFull && this.#queue.length === 0;) {
        const accepted = await this.#options.store.listAccepted(after, limit);
        this.#queue.push(...(await Promise.all(accepted.filter(isNew).map(async (run) => this.#jobOf(run)))));
        after = accepted.at(-1)?.id ?? null;
        isFull = accepted.length === limit;
      }
      this.#behind ||= isFull;
    } catch (error) {
      this.#options.onError(error, "");
    } finally {
      this.#fetching = false;
    }
    if (this.#queue.length > 0) this.#startNext();
  }
}
