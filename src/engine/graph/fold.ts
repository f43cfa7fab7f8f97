import type { EventType } from "../../contract/journal.ts";
import type { Json } from "../../contract/json.ts";
import { maxLoopItems } from "../../contract/limits.ts";
import type { Iteration, RunError } from "../../contract/run.ts";
import type { Graph, GraphNode } from "./graph.ts";
import { type ScopeState, type StepState, ScopeRun, iterationOutput } from "./scope-state.ts";

/** The part of a journal event that moves a run on. */
export type FoldEvent = {
  type: EventType;
  stepId: string;
  iteration: Iteration;
  attempt: number;
  inputData?: Json;
  outputData?: Json;
  error?: RunError;
  createdAt?: number;
};

/**
 * What follows from the journal so far and is not in it yet. `start` is for the executor to run; the others are
 * journaled as they are. A decision stands until the event of its step arrives.
 */
export type Decision =
  | { kind: "start" }
  | { kind: "skip" }
  /** A loop whose iterations are all done. */
  | { kind: "complete"; output: Json }
  /** A loop one of whose iterations failed. */
  | { kind: "fail"; error: RunError; continued: boolean }
  /** A step that runs beside one that failed. */
  | { kind: "abort" };

export type RunEnd = { status: "succeeded"; output: Json } | { status: "failed" | "timed_out"; error: RunError };

/**
 * A run's position in its graph, as a function of the definition and the journal (contract 5). Events are applied one
 * by one, each at a cost that does not grow with the journal; loading a run applies all of them. Executor, recovery,
 * replay and the graph view use this one function.
 */
export class RunFold {
  readonly graph: Graph;
  readonly root: ScopeState;
  /** In the order in which they arose; steps in the definition's order where they arise together. */
  readonly decisions = new Map<StepState, Decision>();
  /** Set once nothing can run any more or a failure ended the run; journal the remaining decisions first. */
  end: RunEnd | null = null;
  /** Steps that have started, for the limit on them. */
  started = 0;
  #output: { value: Json } | null = null;

  constructor(graph: Graph, input: Json) {
    this.graph = graph;
    const [rootScope] = graph.scopes;
    if (!rootScope) throw new Error("A graph has no scope");
    this.root = new ScopeRun(rootScope, null, [], null);
    for (const step of this.root.steps) if (!step.node.type.isStep) this.#settle(step, "completed", input);
    this.#endWhenOpenIsNone(this.root);
  }

  /** The state of a step in an iteration that is going on; null when the iteration is over or was never reached. */
  find(stepId: string, iteration: Iteration): StepState | null {
    const node = this.graph.byId.get(stepId);
    const scope = node && this.#findScope(node, iteration ?? []);
    return (node && scope?.steps[node.place]) ?? null;
  }

  /** Applies the next event. One of a step that has moved on already, or of a past iteration, changes nothing. */
  apply(event: FoldEvent): void {
    const step = this.find(event.stepId, event.iteration);
    if (!step || isOver(step)) return;
    this.decisions.delete(step);
    switch (event.type) {
      case "step_started":
        return this.#start(step, event);
      case "step_completed":
        return this.#settle(step, "completed", event.outputData ?? null);
      case "step_failed_continued":
        return this.#settle(step, "failed_continued", continuedOutput(event));
      case "step_skipped":
        return this.#settle(step, "skipped", null);
      case "step_pending_approval":
        return this.#pend(step, event);
      case "step_waiting":
        step.status = "waiting";
        step.resumeAt = resumeAt(event.outputData);
        step.child = childRun(event.outputData);
        return;
      case "step_failed":
      case "step_timed_out":
        return this.#fail(step, event);
    }
  }

  /** A Wait has begun and is not over. */
  get isWaiting(): boolean {
    return this.inProgress().some(({ status }) => status === "waiting");
  }

  /** Waits whose moment has come; what waits for a run has none. */
  listDueWaits(now: number): StepState[] {
    const isDue = (step: StepState) => step.status === "waiting" && step.child === null && (step.resumeAt ?? 0) <= now;
    return this.inProgress().filter(isDue).toArray();
  }

  /** A step has started and neither ended nor parked; of an open loop its body's steps count. */
  get isRunning(): boolean {
    return this.inProgress().some(({ status, loop }) => status === "running" && !loop);
  }

  /** Steps that have started and are not over, in iterations that go on. */
  *inProgress(scope: ScopeState = this.root): Generator<StepState> {
    for (const step of scope.steps) {
      if (step.inProgress) yield step;
      if (step.loop?.current) yield* this.inProgress(step.loop.current);
    }
  }

  /** Ends the run from outside the graph (pipeline time-out, limits): steps in progress are to be aborted. */
  halt(end: RunEnd): void {
    if (this.end) return;
    this.#close(this.root);
    this.end = end;
  }

  #findScope(node: GraphNode, iteration: readonly number[]): ScopeState | null {
    if (iteration.length !== node.scope.depth) return null;
    const chain: GraphNode[] = [];
    for (let scope = node.scope; scope.loop && scope.parent; scope = scope.parent) chain.unshift(scope.loop);
    let current: ScopeState | null = this.root;
    for (const [depth, loop] of chain.entries()) {
      const body: ScopeState | null = current.steps[loop.place]?.loop?.current ?? null;
      if (!body || body.index !== iteration[depth]) return null;
      current = body;
    }
    return current;
  }

  #pend(step: StepState, event: FoldEvent): void {
    step.status = "pending_approval";
    step.input = event.inputData ?? null;
  }

  #start(step: StepState, event: FoldEvent): void {
    if (step.status !== "running") this.started += 1;
    step.status = "running";
    step.startedAt ??= event.createdAt ?? null;
    step.attempt = event.attempt;
    step.input = event.inputData ?? null;
    const items = step.node.body ? loopItems(event.inputData) : null;
    if (!items) return;
    step.loop = { items, iterations: [], current: null };
    this.#nextIteration(step);
  }

  /** Opens the loop's next iteration, or decides its completion. A body without nodes needs no iterations. */
  #nextIteration(step: StepState): void {
    const { loop } = step;
    const { body } = step.node;
    if (!loop || !body) return;
    const index = loop.iterations.length;
    const item = loop.items[index];
    if (index >= loop.items.length || item === undefined || body.nodes.length === 0) {
      for (const [rest, value] of loop.items.entries()) {
        if (rest >= index) loop.iterations.push({ index: rest, item: value, output: null });
      }
      loop.current = null;
      const output = { iterations: loop.iterations, totalItems: loop.items.length };
      this.decisions.set(step, { kind: "complete", output });
      return;
    }
    const scope = new ScopeRun(body, step.scope, [...step.scope.iteration, index], { step, index, item });
    loop.current = scope;
    for (const entry of body.entries) this.#arrive(scope, entry.target, true);
  }

  #settle(step: StepState, status: "completed" | "failed_continued" | "skipped", output: Json): void {
    const { scope, node } = step;
    step.status = status;
    step.output = output;
    step.live = status === "skipped" ? [] : node.bound.live(output);
    step.input = null;
    step.loop = null;
    scope.open -= 1;
    if (status === "completed" && node.type.type === "return_output") this.#output ??= { value: output };
    if (scope.closed) return;
    for (const edge of node.outbound) this.#arrive(scope, edge.target, step.live.includes(edge.sourceHandle));
    this.#endWhenOpenIsNone(scope);
  }

  #arrive(scope: ScopeState, target: GraphNode, live: boolean): void {
    const step = scope.steps[target.place];
    if (!step) return;
    step.unsettled -= 1;
    if (live) step.liveInbound += 1;
    if (step.unsettled === 0) this.decisions.set(step, { kind: step.liveInbound > 0 ? "start" : "skip" });
  }

  #endWhenOpenIsNone(scope: ScopeState): void {
    if (scope.open > 0) return;
    if (!scope.entered) {
      this.end ??= { status: "succeeded", output: this.#output?.value ?? null };
      return;
    }
    const { step, index, item } = scope.entered;
    step.loop?.iterations.push({ index, item, output: iterationOutput(scope) });
    this.#nextIteration(step);
  }

  /** A failure closes its scope: what runs there is aborted, and the loop around it fails, or the run. */
  #fail(step: StepState, event: FoldEvent): void {
    const error = event.error ?? { code: "UNKNOWN", message: "The step failed without an error" };
    step.status = "failed";
    if (step.scope.closed) return;
    const timedOut = event.type === "step_timed_out" || step.bodyTimedOut;
    this.#close(step.scope);
    if (!step.scope.entered) {
      this.end ??= { status: timedOut ? "timed_out" : "failed", error };
      return;
    }
    const loop = step.scope.entered.step;
    loop.bodyTimedOut = timedOut;
    this.decisions.set(loop, { kind: "fail", error, continued: loop.node.settings.continueOnFailure });
  }

  #close(scope: ScopeState): void {
    scope.closed = true;
    for (const step of scope.steps) {
      this.decisions.delete(step);
      if (step.loop?.current) this.#close(step.loop.current);
      if (step.inProgress) this.decisions.set(step, { kind: "abort" });
    }
  }
}

function loopItems(input: Json | undefined): Json[] | null {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return null;
  const items = input["items"];
  return Array.isArray(items) && items.length <= maxLoopItems ? items : null;
}

function isOver({ settled, status }: StepState): boolean {
  return settled || status === "failed";
}

/** When a Wait goes on, as its event says. */
function resumeAt(output: Json | undefined): number | null {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return null;
  return typeof output["resumeAt"] === "string" ? Date.parse(output["resumeAt"]) : null;
}

/** The run that a step waits for, as its event says. */
function childRun(output: Json | undefined): string | null {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return null;
  return typeof output["run_id"] === "string" ? output["run_id"] : null;
}

/** What those downstream of a failed step see under continueOnFailure (contract 5). */
function continuedOutput(event: FoldEvent): Json {
  if (event.outputData !== undefined) return event.outputData;
  const { code, message } = event.error ?? { code: "UNKNOWN", message: "" };
  return { error: { code, message } };
}
