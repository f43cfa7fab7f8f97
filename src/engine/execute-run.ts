import type { Json } from "../contract/json.ts";
import type { EventRecord, RunRecord } from "../store/store.ts";
import { type AttemptResult, type StepRun, resolveConfig, runAttempt } from "./execute-step.ts";
import { type Decision, type FoldEvent, RunFold, type RunEnd } from "./fold.ts";
import { RunJournal } from "./run-journal.ts";
import { type StepState, iterationOf } from "./scope-state.ts";
import type { Services } from "./services.ts";
import { abortedError, crashLoopError, inDoubtError, pipelineTimeout, tooManySteps } from "./step-errors.ts";

/** Steps of one run that are in progress side by side (design 2). */
const maxParallelSteps = 8;
/** A long stretch of pure steps lets other runs have their turn after so many events or milliseconds. */
const sliceEvents = 256;
const sliceMs = 8;
const journalPage = 1000;
/** A run that took the daemon down so often is not tried again (contract 5). */
const maxCrashes = 5;

export type ExecutorServices = Pick<Services, "store" | "world" | "limits" | "versions"> & {
  log(runId: string, stepId: string, text: string): void;
};

/**
 * Executes a run from where its journal ends until it is over, or until `stop` asks for no new steps. Settles when all
 * that happened is durable. Rejects with FencedError when somebody else took the run, or with the store's error.
 */
export async function executeRun(services: ExecutorServices, run: RunRecord, stop: AbortSignal): Promise<void> {
  const { graph } = await services.versions.load(run.versionId);
  const fold = new RunFold(graph, run.input);
  for await (const event of readJournal(services, run)) fold.apply(event);
  await new RunExecution(services, run, fold, stop).run();
}

async function* readJournal({ store }: ExecutorServices, run: RunRecord): AsyncGenerator<EventRecord> {
  for (let after = 0; after < run.seq; ) {
    const page = await store.readJournal(run.id, after, journalPage);
    yield* page;
    const last = page.at(-1);
    if (!last) throw new Error(`The journal of run ${run.id} ends at ${after}, before its event ${run.seq}`);
    after = last.seq;
  }
}

class RunExecution {
  readonly #services: ExecutorServices;
  readonly #run: RunRecord;
  readonly #fold: RunFold;
  readonly #stop: AbortSignal;
  readonly #journal: RunJournal;
  readonly #on: StepRun;
  /** Attempts that have not answered; aborted ones are dropped from it at once and their answers ignored. */
  readonly #attempts = new Map<StepState, AbortController>();
  #wake = Promise.withResolvers<void>();
  /** The store refused a write that a step waited for. */
  #broken: { error: unknown } | null = null;

  constructor(services: ExecutorServices, run: RunRecord, fold: RunFold, stop: AbortSignal) {
    const { world, limits } = services;
    this.#services = services;
    this.#run = run;
    this.#fold = fold;
    this.#stop = stop;
    this.#journal = new RunJournal(services.store, run, world);
    const startedAt = new Date(run.startedAt ?? world.now().getTime()).toISOString();
    this.#on = {
      graph: fold.graph,
      run: { id: run.id, source: run.source, started_at: startedAt },
      input: run.input,
      timeoutMs: limits.stepTimeoutSeconds * 1000,
      world,
      log: (stepId, text) => services.log(run.id, stepId, text),
    };
  }

  async run(): Promise<void> {
    const { world, limits } = this.#services;
    const wakeUp = (): void => this.#wake.resolve();
    const left = limits.pipelineTimeoutSeconds * 1000 - this.#run.activeMs;
    const cancelTimeout = world.after(Math.max(0, left), () => {
      this.#halt({ status: "timed_out", error: pipelineTimeout(limits.pipelineTimeoutSeconds) });
    });
    this.#stop.addEventListener("abort", wakeUp, { once: true });
    try {
      if (this.#run.crashes >= maxCrashes) this.#halt({ status: "failed", error: crashLoopError(this.#run.crashes) });
      else this.#resumeStarted();
      await this.#drive();
    } finally {
      cancelTimeout();
      this.#stop.removeEventListener("abort", wakeUp);
      for (const attempt of this.#attempts.values()) attempt.abort();
    }
  }

  async #drive(): Promise<void> {
    for (;;) {
      if (this.#broken) throw this.#broken.error;
      const sliceIsOver = this.#advance();
      if (this.#fold.end && this.#fold.decisions.size === 0) return this.#finish(this.#fold.end);
      if (sliceIsOver) {
        await this.#journal.flush();
        await this.#services.world.yieldTurn();
      } else if (this.#attempts.size > 0) {
        // What has happened so far becomes visible while the steps in progress take their time.
        await Promise.all([this.#journal.flush(), this.#wake.promise]);
        this.#wake = Promise.withResolvers();
      } else if (this.#stop.aborted) {
        return this.#journal.flush();
      } else if (this.#fold.decisions.size === 0) {
        throw new Error(`Run ${this.#run.id} has nothing left to do and is not over`);
      }
    }
  }

  /** Carries out what follows from the journal. True when the slice is used up and there may be more to do. */
  #advance(): boolean {
    const { world } = this.#services;
    const since = world.monotonicMs();
    for (let next = this.#next(); next; next = this.#next()) {
      this.#carryOut(...next);
      if (this.#journal.unflushed >= sliceEvents || world.monotonicMs() - since >= sliceMs) return true;
    }
    return false;
  }

  #next(): [StepState, Decision] | null {
    const mayStart = !this.#stop.aborted && this.#attempts.size < maxParallelSteps;
    for (const entry of this.#fold.decisions) if (mayStart || entry[1].kind !== "start") return entry;
    return null;
  }

  #carryOut(step: StepState, decision: Decision): void {
    switch (decision.kind) {
      case "start":
        return this.#startStep(step);
      case "skip":
        return this.#record(step, { type: "step_skipped" });
      case "complete":
        return this.#record(step, { type: "step_completed", outputData: decision.output });
      case "fail":
        return this.#record(step, {
          type: decision.continued ? "step_failed_continued" : "step_failed",
          error: decision.error,
        });
      case "abort":
        this.#attempts.get(step)?.abort();
        this.#attempts.delete(step);
        return this.#record(step, { type: "step_failed", error: { ...abortedError, step_id: step.node.id } });
    }
  }

  #record(step: StepState, part: Omit<FoldEvent, "stepId" | "iteration" | "attempt"> & { durationMs?: number }): void {
    const attempt = Math.max(1, step.attempt);
    const event = { stepId: step.node.id, iteration: iterationOf(step), attempt, ...part };
    this.#journal.append(event);
    this.#fold.apply(event);
  }

  #startStep(step: StepState): void {
    const { stepsPerRun } = this.#services.limits;
    if (this.#fold.started >= stepsPerRun) return this.#halt({ status: "failed", error: tooManySteps(stepsPerRun) });
    const resolved = resolveConfig(step, this.#on);
    this.#record(step, { type: "step_started", inputData: resolved.config });
    if (resolved.error) this.#endAttempt(step, { kind: "fail", error: resolved.error }, this.#services.world.monotonicMs());
    else this.#attempt(step, resolved.config);
  }

  #attempt(step: StepState, config: { [key: string]: Json }): void {
    const abort = new AbortController();
    const startedMs = this.#services.world.monotonicMs();
    const result =
      step.node.bound.effects === "none"
        ? runAttempt(step, config, this.#on, abort)
        : // The start of a step with side effects is durable before the side effect (contract 5).
          this.#journal.flush().then(async () => runAttempt(step, config, this.#on, abort));
    if (!(result instanceof Promise)) return this.#endAttempt(step, result, startedMs);
    this.#attempts.set(step, abort);
    result.then(
      (answer) => {
        if (this.#attempts.get(step) !== abort) return;
        this.#attempts.delete(step);
        this.#endAttempt(step, answer, startedMs);
        this.#wake.resolve();
      },
      (error: unknown) => {
        this.#broken = { error };
        this.#wake.resolve();
      },
    );
  }

  #endAttempt(step: StepState, result: AttemptResult, startedMs: number): void {
    if (result.kind === "iterate") return;
    const durationMs = Math.round(this.#services.world.monotonicMs() - startedMs);
    if (result.kind === "done") {
      return this.#record(step, { type: "step_completed", outputData: result.output, durationMs });
    }
    const error = { ...result.error, step_id: step.node.id };
    if (!continuesOnFailure(step)) {
      return this.#record(step, { type: result.kind === "fail" ? "step_failed" : "step_timed_out", error, durationMs });
    }
    const partial = result.output === undefined ? {} : { outputData: result.output };
    this.#record(step, { type: "step_failed_continued", error, durationMs, ...partial });
  }

  /** Steps that had started when a daemon went down: those without side effects run again (contract 5, recovery). */
  #resumeStarted(): void {
    for (const step of this.#fold.inProgress()) {
      if (step.loop) continue;
      if (step.node.bound.effects === "unsafe") this.#endAttempt(step, { kind: "fail", error: inDoubtError }, 0);
      else this.#attempt(step, resolveConfig(step, this.#on).config);
    }
  }

  #halt(end: RunEnd): void {
    this.#fold.halt(end);
    this.#wake.resolve();
  }

  async #finish(end: RunEnd): Promise<void> {
    if (end.status === "succeeded") return this.#journal.flush({ status: "succeeded", output: end.output, error: null });
    return this.#journal.flush({ status: end.status, error: end.error });
  }
}

/** The setting, on a type that heeds it: `stop_and_error` stops all the same (contract 2). */
function continuesOnFailure({ node }: StepState): boolean {
  return node.settings.continueOnFailure && !node.type.ignores?.includes("continueOnFailure");
}
