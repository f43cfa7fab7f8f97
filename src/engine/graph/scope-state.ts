import type { Json } from "../../contract/json.ts";
import type { Iteration } from "../../contract/run.ts";
import type { GraphNode, GraphScope } from "./graph.ts";

/** Where a step stands; `idle` until its first event. */
export type StepStanding =
  | "idle"
  | "running"
  | "pending_approval"
  | "waiting"
  | "completed"
  | "failed_continued"
  | "skipped"
  | "failed";

/** One node inside one run, in one iteration. */
export type StepState = {
  readonly node: GraphNode;
  readonly scope: ScopeState;
  status: StepStanding;
  attempt: number;
  /** Resolved config while the step is in progress; of a gated step, what was approved. */
  input: Json;
  /** When its first attempt began and, while it waits, when it goes on; epoch ms. */
  startedAt: number | null;
  resumeAt: number | null;
  /** The run that it waits for, in place of a moment. */
  child: string | null;
  output: Json;
  /** Handles that the output made live. */
  live: readonly string[];
  /** Inbound edges whose source has not settled, and those that turned out live. */
  unsettled: number;
  liveInbound: number;
  /** A loop while its iterations go on. */
  loop: LoopState | null;
  /** A step of the loop's body ran into its time-out. */
  bodyTimedOut: boolean;
  /** Over, with an output or as skipped: those downstream may go on. */
  readonly settled: boolean;
  /** Started and not over. */
  readonly inProgress: boolean;
};

export type LoopState = {
  readonly items: readonly Json[];
  readonly iterations: { index: number; item: Json; output: Json }[];
  /** Iterations are sequential: one at a time, and past ones keep nothing but their output. */
  current: ScopeState | null;
};

/** The top level of a run, or one iteration of a loop. */
export type ScopeState = {
  readonly graph: GraphScope;
  readonly parent: ScopeState | null;
  readonly iteration: readonly number[];
  /** The loop step and item of an iteration; null at the top level. */
  readonly entered: { step: StepState; index: number; item: Json } | null;
  readonly index: number;
  /** By the node's place in the scope. */
  readonly steps: readonly StepState[];
  /** Steps that have not settled. */
  open: number;
  /** A step failed: nothing more starts here. */
  closed: boolean;
};

class Step implements StepState {
  readonly node: GraphNode;
  readonly scope: ScopeState;
  status: StepStanding = "idle";
  attempt = 0;
  input: Json = null;
  startedAt: number | null = null;
  resumeAt: number | null = null;
  child: string | null = null;
  output: Json = null;
  live: readonly string[] = [];
  unsettled: number;
  liveInbound = 0;
  loop: LoopState | null = null;
  bodyTimedOut = false;

  constructor(node: GraphNode, scope: ScopeState) {
    this.node = node;
    this.scope = scope;
    this.unsettled = node.inbound.length;
  }

  get settled(): boolean {
    return this.status === "completed" || this.status === "failed_continued" || this.status === "skipped";
  }

  get inProgress(): boolean {
    return this.status === "running" || this.status === "pending_approval" || this.status === "waiting";
  }
}

export class ScopeRun implements ScopeState {
  readonly graph: GraphScope;
  readonly parent: ScopeState | null;
  readonly iteration: readonly number[];
  readonly entered: ScopeState["entered"];
  readonly steps: readonly StepState[];
  open: number;
  closed = false;

  constructor(
    graph: GraphScope,
    parent: ScopeState | null,
    iteration: readonly number[],
    entered: ScopeState["entered"],
  ) {
    this.graph = graph;
    this.parent = parent;
    this.iteration = iteration;
    this.entered = entered;
    this.steps = graph.nodes.map((node) => new Step(node, this));
    this.open = graph.nodes.length;
  }

  get index(): number {
    return this.entered?.index ?? 0;
  }
}

/** The iteration as journal events carry it: null outside loops (contract 5). */
export function iterationOf(step: StepState): Iteration {
  return step.scope.entered ? [...step.scope.iteration] : null;
}

/** Output of the body's last node; where the body ends in several, an object keyed by their ids (contract 5). */
export function iterationOutput(scope: ScopeState): Json {
  const { exits } = scope.graph;
  const [first] = exits;
  if (exits.length === 1 && first) return exitOutput(scope, first);
  return Object.fromEntries(exits.map((exit) => [exit.id, exitOutput(scope, exit)]));
}

function exitOutput(scope: ScopeState, exit: GraphNode): Json {
  const step = scope.steps[exit.place];
  return step && step.status !== "skipped" ? step.output : null;
}
