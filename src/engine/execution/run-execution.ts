import type { Json } from "../../contract/json.ts";
import type { RunError } from "../../contract/run.ts";
import type { RunRecord } from "../../store/store.ts";
import { childEnd, readEndedChildren } from "./child-result.ts";
import { closingEvents } from "./closing-events.ts";
import { endLoop } from "./end-loop.ts";
import { type AttemptResult, type StepRun, describeGate, resolveConfig, runAttempt } from "./execute-step.ts";
import { type ExecutorServices, stepRunOf } from "./executor-services.ts";
import { continuesOnFailure } from "./continues-on-failure.ts";
import type { Decision, FoldEvent, RunEnd, RunFold } from "../graph/fold.ts";
import type { LoadedFold } from "./load-fold.ts";
import { RunGates, newApproval } from "./run-gates.ts";
import { type EndParts, finalMove, followUp } from "./run-end.ts";
import type { RunInbox } from "./run-inbox.ts";
import { RunJournal } from "./run-journal.ts";
import { RunRetries, stepOwner } from "./run-retries.ts";
import { StepGating, effectsOfStep } from "./step-reach.ts";
import { type StepState, iterationOf } from "../graph/scope-state.ts";
import {
  abortedError,
  crashLoopError,
  inDoubtError,
  noPendingResponse,
  pipelineTimeout,
  tooManySteps,
} from "./step-errors.ts";

/** Steps of one run that are in progress side by side (design 2). */
const maxParallelSteps = 8;
/** A long stretch of pure steps lets other runs have their turn after so many events or milliseconds. */
const sliceEvents = 256;
const sliceMs = 8;
/** A run that took the daemon down so often is not tried again (contract 5). */
const maxCrashes = 5;

export type ExecutionParts = LoadedFold & {
  services: ExecutorServices;
  run: RunRecord;
  onFailure: string | null;
  stop: AbortSignal;
  inbox: RunInbox;
};

/** One run in the hands of its executor, from where its journal ends until it is over or given back. */
export class RunExecution {
  readonly #services: ExecutorServices;
  readonly #run: RunRecord;
  readonly #fold: RunFold;
  readonly #stop: AbortSignal;
  readonly #inbox: RunInbox;
  readonly #journal: RunJournal;
  readonly #gates: RunGates;
  readonly #retries: RunRetries;
  readonly #gating: StepGating;
  readonly #on: StepRun;
  /** Attempts that have not answered; aborted ones are dropped from it at once and their answers ignored. */
  readonly #attempts = new Map<StepState, AbortController>();
  #wake = Promise.withResolvers<void>();
  /** The store refused a write that a step waited for. */
  #broken: { error: unknown } | null = null;
  readonly #gone: RunError | null;
  readonly #ending: EndParts;

  constructor({ services, run, fold, input, gone, onFailure, stop, inbox }: ExecutionParts) {
    const { store, world, limits } = services;
    this.#services = services;
    this.#run = run;
    this.#fold = fold;
    this.#stop = stop;
    this.#inbox = inbox;
    this.#gone = gone;
    this.#ending = { run, onFailure, limits, world };
    const { observe } = services;
    this.#journal = new RunJournal(services, run, world, (commit) => observe?.({ run, graph: fold.graph, commit }));
    this.#gates = new RunGates(store, run);
    const deadlineMs = world.monotonicMs() + limits.pipelineTimeoutSeconds * 1000 - run.activeMs;
    this.#retries = new RunRetries(this.#journal, world, services.retries, deadlineMs);
    this.#gating = new StepGating(
      { calls: services.calls, workspaceId: run.workspaceId },
      () => this.#wake.resolve(),
      (error) => this.#break(error),
    );
    this.#on = stepRunOf(services, run, fold.graph, input);
  }

  async run(): Promise<void> {
    const { world, limits } = this.#services;
    const wakeUp = (): void => this.#wake.resolve();
    const left = limits.pipelineTimeoutSeconds * 1000 - this.#run.activeMs;
    const cancelTimeout = world.after(Math.max(0, left), () => {
      this.#halt({ status: "timed_out", error: pipelineTimeout(limits.pipelineTimeoutSeconds) });
    });
    this.#inbox.onChange = wakeUp;
    this.#stop.addEventListener("abort", wakeUp, { once: true });
    try {
      const error = this.#gone ?? (this.#run.crashes < maxCrashes ? null : crashLoopError(this.#run.crashes));
      if (error) this.#halt({ status: "failed", error });
      else await this.#resume();
      await this.#drive();
    } finally {
      cancelTimeout();
      this.#journal.close();
      this.#inbox.onChange = () => undefined;
      this.#stop.removeEventListener("abort", wakeUp);
      for (const attempt of this.#attempts.values()) attempt.abort();
    }
  }

  async #drive(): Promise<void> {
    for (;;) {
      if (this.#broken) throw this.#broken.error;
      if (this.#inbox.isAbandoned) return;
      if (await this.#endFromOutside()) return;
      if (this.#inbox.isPoked) await this.#look();
      const sliceIsOver = this.#advance();
      if (this.#fold.end && this.#fold.decisions.size === 0)
        return this.#journal.flush(finalMove(this.#fold.end, this.#ending));
      if (sliceIsOver) {
        await this.#journal.flush();
        await this.#services.world.yieldTurn();
      } else if (this.#attempts.size > 0 || this.#hasMoreToCome()) {
        // What has happened so far becomes visible meanwhile; an answer does not wait for that, for commits are in order.
        const areBrief = this.#attempts.keys().every(({ node }) => node.bound.isBrief);
        this.#journal.show(areBrief, (error) => this.#break(error));
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
      } else {
        return this.#giveBack();
      }
    }
  }

  #hasMoreToCome(): boolean {
    return !this.#stop.aborted && (this.#retries.isPending || this.#gating.isAsking);
  }

  /** Nothing can happen here and now. */
  async #giveBack(): Promise<void> {
    const awaitsApproval = this.#gates.isPending;
    const isIdle = this.#fold.decisions.size === 0 || awaitsApproval;
    const isParked = isIdle && !this.#retries.isPending && (awaitsApproval || this.#fold.isWaiting);
    if (isParked) return this.#journal.flush({ status: "waiting", release: { as: "parked", awaitsApproval } });
    if (!this.#stop.aborted) throw new Error(`Run ${this.#run.id} has nothing left to do and is not over`);
    return this.#journal.flush({ status: "running", release: { as: "stopped" } });
  }

  /** Takes up what the journal left open, in the order of the steps. */
  async #resume(): Promise<void> {
    const approved = await this.#gates.load(this.#fold);
    const retries = this.#fold.isRunning ? await this.#services.store.listRunDue(this.#run.id) : [];
    this.#retries.load(retries, this.#fold);
    await this.#resumeStarted();
    await this.#lookAtChildren();
    this.#startApproved(approved);
    this.#passTime();
  }

  /** Looks for what has been decided and what has come due. */
  async #look(): Promise<void> {
    this.#inbox.isPoked = false;
    const approved = await this.#gates.look();
    await this.#lookAtChildren();
    if (approved) this.#startApproved([approved]);
    this.#passTime();
  }

  #passTime(): void {
    if (this.#fold.end) return;
    for (const step of this.#fold.listDueWaits(this.#now())) this.#completeWait(step);
    if (this.#stop.aborted) return;
    for (const { step, error } of this.#retries.takeDue()) {
      this.#record(step, { type: "step_started", inputData: step.input, error }, step.attempt + 1);
      this.#attempt(step, step.input as { [key: string]: Json });
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

  /** Gates come last, and of them the first in the definition's order: one request at a time (contract 7). */
  #next(): [StepState, Decision] | null {
    const mayStart = !this.#stop.aborted && !this.#gates.isClosed;
    let gate: [StepState, Decision] | null = null;
    for (const entry of this.#fold.decisions) {
      const [step, { kind }] = entry;
      if (kind !== "start") return entry;
      if (!mayStart) continue;
      const isGated = this.#gating.isGated(step);
      if (isGated === null) continue;
      if (!isGated) {
        if (this.#attempts.size < maxParallelSteps) return entry;
      } else if (!this.#gates.isPending && (!gate || step.node.index < gate[0].node.index)) gate = entry;
    }
    return gate;
  }

  #carryOut(step: StepState, decision: Decision): void {
    switch (decision.kind) {
      case "start":
        return this.#startStep(step);
      case "skip":
        return this.#record(step, { type: "step_skipped" });
      case "complete":
        return this.#record(step, { ...endLoop(step, decision.output), ...this.#sinceStart(step) });
      case "fail":
        return this.#record(step, {
          type: decision.continued ? "step_failed_continued" : "step_failed",
          error: decision.error,
          ...this.#sinceStart(step),
        });
      case "abort":
        return this.#abort(step);
    }
  }

  #abort(step: StepState): void {
    this.#attempts.get(step)?.abort();
    this.#attempts.delete(step);
    this.#retries.drop(step);
    if (step.status === "waiting") this.#journal.removeDue({ kind: "wait", owner: stepOwner(step) });
    if (step.child !== null) this.#journal.addDue({ kind: "end_children", owner: stepOwner(step), at: this.#now() });
    if (this.#gates.drop(step)) this.#journal.withdraw();
    this.#record(step, { type: "step_failed", error: { ...abortedError, step_id: step.node.id } });
  }

  #record(
    step: StepState,
    part: Omit<FoldEvent, "stepId" | "iteration" | "attempt"> & { durationMs?: number },
    attempt = Math.max(1, step.attempt),
  ): void {
    const event = { stepId: step.node.id, iteration: iterationOf(step), attempt, ...part };
    this.#fold.apply(this.#journal.append(event));
  }

  #startStep(step: StepState): void {
    const { stepsPerRun } = this.#services.limits;
    if (this.#fold.started >= stepsPerRun) return this.#halt({ status: "failed", error: tooManySteps(stepsPerRun) });
    const resolved = resolveConfig(step, this.#on);
    if (this.#gating.isGated(step) && !resolved.error) return this.#openGate(step, resolved.config);
    this.#record(step, { type: "step_started", inputData: resolved.config });
    if (resolved.error)
      this.#endAttempt(step, { kind: "fail", error: resolved.error }, this.#services.world.monotonicMs());
    else this.#attempt(step, resolved.config);
  }

  /** What the step would run with is resolved now, once, and is what is approved (contract 7). */
  #openGate(step: StepState, inputs: { [key: string]: Json }): void {
    const { world, limits, values } = this.#services;
    const gate = {
      stepId: step.node.id,
      iteration: iterationOf(step),
      inputs,
      description: describeGate(step, this.#on),
    };
    const request = newApproval(gate, world, limits.approvalExpirySeconds, values.known(this.#run.workspaceId));
    this.#record(step, { type: "step_pending_approval", inputData: inputs });
    this.#journal.request(request);
    this.#gates.open(request.id, step);
  }

  #startApproved(steps: readonly StepState[]): void {
    if (this.#stop.aborted || this.#fold.end) return;
    for (const step of steps) {
      this.#record(step, { type: "step_started", inputData: step.input });
      this.#attempt(step, step.input as { [key: string]: Json });
    }
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
        if (this.#attempts.get(step) !== abort || this.#inbox.isAbandoned) return;
        this.#attempts.delete(step);
        this.#endAttempt(step, answer, startedMs);
        this.#wake.resolve();
      },
      (error: unknown) => this.#break(error),
    );
  }

  #break(error: unknown): void {
    this.#broken ??= { error };
    this.#wake.resolve();
  }

  #endAttempt(step: StepState, result: AttemptResult, startedMs: number): void {
    if (result.kind === "iterate") return;
    if (result.kind === "wait") return this.#wait(step, result.resumeAt);
    if (result.kind === "await_run") return this.#awaitRun(step, result.runId);
    if (result.kind === "respond") return this.#respond(step, result, startedMs);
    const durationMs = Math.round(this.#services.world.monotonicMs() - startedMs);
    if (result.kind === "done") {
      return this.#record(step, { type: "step_completed", outputData: result.output, durationMs });
    }
    const error = { ...result.error, step_id: step.node.id };
    if (this.#retries.schedule(step, error)) return;
    if (!continuesOnFailure(step)) {
      return this.#record(step, { type: result.kind === "fail" ? "step_failed" : "step_timed_out", error, durationMs });
    }
    const partial = result.output === undefined ? {} : { outputData: result.output };
    this.#record(step, { type: "step_failed_continued", error, durationMs, ...partial });
  }

  /** Of several nodes that answer one alone does; the caller hears of it when the step's end is durable. */
  #respond(step: StepState, { answer, output }: Extract<AttemptResult, { kind: "respond" }>, startedMs: number): void {
    const send = this.#services.responses.claim(this.#run.id);
    if (!send) return this.#endAttempt(step, { kind: "fail", error: noPendingResponse }, startedMs);
    this.#endAttempt(step, { kind: "done", output }, startedMs);
    this.#journal.whenDurable(() => send(answer));
  }

  /** The child may be over already: it is looked at as soon as the step waits for it. */
  #awaitRun(step: StepState, runId: string): void {
    this.#record(step, { type: "step_waiting", outputData: { run_id: runId } });
    this.#inbox.isPoked = true;
  }

  async #lookAtChildren(): Promise<void> {
    const { store } = this.#services;
    const { id: owner, workspaceId } = this.#run;
    for (const { step, runId, result } of await readEndedChildren(this.#services, workspaceId, this.#fold)) {
      if (this.#fold.end || step.status !== "waiting") continue;
      this.#record(step, { ...childEnd(step, result), ...this.#sinceStart(step) });
      // Left over by a crash, it has the run looked at once more, and that does no harm.
      const told = { runId, kind: "child_ended", owner } as const;
      this.#journal.whenDurable(() => void store.removeDue(told).catch(() => undefined));
    }
  }

  #wait(step: StepState, resumeAt: number): void {
    this.#record(step, { type: "step_waiting", outputData: { resumeAt: new Date(resumeAt).toISOString() } });
    if (resumeAt <= this.#now()) return this.#completeWait(step);
    this.#journal.addDue({ kind: "wait", owner: stepOwner(step), at: resumeAt });
  }

  #completeWait(step: StepState): void {
    const outputData = { resumeAt: new Date(step.resumeAt ?? 0).toISOString() };
    this.#journal.removeDue({ kind: "wait", owner: stepOwner(step) });
    this.#record(step, { type: "step_completed", outputData, ...this.#sinceStart(step) });
  }

  #now(): number {
    return this.#services.world.now().getTime();
  }

  #sinceStart({ startedAt }: StepState): { durationMs?: number } {
    return startedAt === null ? {} : { durationMs: Math.max(0, this.#now() - startedAt) };
  }

  /** Steps that had started when a daemon went down: those without side effects run again (contract 5, recovery). */
  async #resumeStarted(): Promise<void> {
    const { calls } = this.#services;
    const { workspaceId } = this.#run;
    for (const step of this.#fold.inProgress().toArray()) {
      if (step.loop || step.status !== "running" || this.#retries.has(step)) continue;
      const effects = await effectsOfStep(step, { calls, workspaceId });
      if (this.#fold.end) return;
      const { settings, bound } = step.node;
      if (effects === "unsafe") this.#endAttempt(step, { kind: "fail", error: inDoubtError }, 0);
      // What was approved runs with what was approved, and a call is repeated as it was.
      else if (settings.requireApproval || bound.reaches().length > 0) {
        this.#attempt(step, step.input as { [key: string]: Json });
      } else this.#attempt(step, resolveConfig(step, this.#on).config);
    }
  }

  /** Carries out the first ending that is not too late; true when the run is over by it. */
  async #endFromOutside(): Promise<boolean> {
    for (let next = this.#inbox.takeEnding(); next; next = this.#inbox.takeEnding()) {
      const { ending } = next;
      const move = { status: ending.status, error: ending.error, ...followUp(ending.status, this.#ending) };
      const ended = this.#journal.tryEnd(closingEvents(this.#fold, ending.gate ?? null), move, ending.decision);
      next.answer(ended);
      if (await ended) return true;
    }
    return false;
  }

  #halt(end: RunEnd): void {
    this.#fold.halt(end);
    this.#wake.resolve();
  }
}
