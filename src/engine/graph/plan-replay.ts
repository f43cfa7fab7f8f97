import type { ReplayPlan } from "../../contract/replay.ts";
import type { Json } from "../../contract/json.ts";
import type { EventRecord } from "../../store/store.ts";
import { RunFold } from "./fold.ts";
import type { Graph, GraphNode, GraphScope } from "./graph.ts";
import type { ScopeState } from "./scope-state.ts";

/** From where a run is replayed: `step` names a node of the graph. */
export type ReplayFrom = { kind: "failed" } | { kind: "start" } | { kind: "step"; node: GraphNode };

/** The journal of the run that is replayed, without the payloads; null when it is kept no more. */
export type History = readonly Pick<EventRecord, "seq" | "type" | "stepId" | "iteration">[] | null;

const doneTypes: ReadonlySet<EventRecord["type"]> = new Set([
  "step_completed",
  "step_skipped",
  "step_failed_continued",
]);

/**
 * Numbers of the events that a replay takes over (contract 8): all of a done step, and the start of a loop that was under
 * way, so that it goes on behind its last done step. A loop behind a gate of its own begins anew: its gate asks again.
 */
export function chooseCopied(graph: Graph, history: History, from: ReplayFrom): ReadonlySet<number> {
  if (!history || from.kind === "start") return new Set();
  const excluded = from.kind === "step" ? downstreamOf(outermost(from.node)) : new Set<GraphNode>();
  const last = new Map(history.map((event) => [keyOf(event.stepId, event.iteration ?? []), event.type]));
  const isDone = (stepId: string, iteration: readonly number[]) => {
    const type = last.get(keyOf(stepId, iteration));
    return type !== undefined && doneTypes.has(type);
  };
  const isCopied = ({ type, stepId, iteration }: (typeof history)[number]): boolean => {
    const node = graph.byId.get(stepId);
    if (!node || excluded.has(outermost(node))) return false;
    const around = loopsAround(node).map((loop, depth) => ({ loop, at: (iteration ?? []).slice(0, depth) }));
    for (const { loop, at } of around) {
      if (isDone(loop.id, at)) return true;
      if (loop.settings.requireApproval) return false;
    }
    const isOpenLoop = node.body !== null && type === "step_started" && !node.settings.requireApproval;
    return isDone(stepId, iteration ?? []) || isOpenLoop;
  };
  return new Set(history.filter(isCopied).map(({ seq }) => seq));
}

export type PlanParts = {
  graph: Graph;
  history: History;
  /** The copied events with their payloads, as `chooseCopied` chose them. */
  copied: readonly EventRecord[];
  input: Json;
  isInputEdited: boolean;
  refused: ReplayPlan["refused"];
};

/** What a replay that takes over these events does. */
export function planReplay({ graph, history, copied, input, isInputEdited, refused }: PlanParts): ReplayPlan {
  const fold = new RunFold(graph, input);
  for (const event of copied) fold.apply(event);
  const open = new Set<GraphNode>();
  if (!fold.end) addOpen(fold.root, open);
  const started = history && new Set(history.filter(({ type }) => type === "step_started").map(({ stepId }) => stepId));
  const reused = new Set(copied.filter(({ type }) => doneTypes.has(type)).map(({ stepId }) => stepId));
  const stillSkipped = isInputEdited || !history ? new Set<string>() : skippedForGood(graph, history, started);
  const rerun = graph.nodes.filter((node) => open.has(node) && !stillSkipped.has(node.id));
  const repeated = rerun.filter((node) => node.bound.effects !== "none" && (started?.has(node.id) ?? true));
  return {
    reused: graph.nodes.filter(({ id }) => reused.has(id)).map(({ id }) => id),
    rerun: rerun.map(({ id }) => id),
    side_effects_repeated: repeated.map(({ id }) => id),
    refused,
  };
}

/** The loops around a node, from the outermost in. */
function loopsAround(node: GraphNode): GraphNode[] {
  const loops: GraphNode[] = [];
  for (let scope: GraphScope | null = node.scope; scope?.loop; scope = scope.parent) loops.unshift(scope.loop);
  return loops;
}

function outermost(node: GraphNode): GraphNode {
  return loopsAround(node)[0] ?? node;
}

function downstreamOf(first: GraphNode): Set<GraphNode> {
  const found = new Set([first]);
  // A set hands out what is added while it is walked.
  for (const node of found) for (const { target } of node.outbound) found.add(target);
  return found;
}

function keyOf(stepId: string, iteration: readonly number[]): string {
  return `${stepId}[${iteration.join(",")}]`;
}

/** Nodes that something is left to do of, in this scope and in the loops inside. */
function addOpen(scope: ScopeState, into: Set<GraphNode>): void {
  for (const step of scope.steps) {
    if (step.settled) continue;
    into.add(step.node);
    const { loop, node } = step;
    if (loop?.current) addOpen(loop.current, into);
    const isAhead = !loop || (loop.current !== null && loop.current.index + 1 < loop.items.length);
    if (node.body && isAhead) addBody(node.body, into);
  }
}

function addBody(body: GraphScope, into: Set<GraphNode>): void {
  for (const node of body.nodes) {
    into.add(node);
    if (node.body) addBody(node.body, into);
  }
}

/** Steps that the original skipped and, with the same input, the replay skips again; unknown in a loop that broke off. */
function skippedForGood(graph: Graph, history: NonNullable<History>, started: ReadonlySet<string> | null): Set<string> {
  const ended = new Set(history.filter(({ type }) => doneTypes.has(type)).map(({ stepId }) => stepId));
  const skipped = history.filter(({ type, stepId }) => {
    const node = graph.byId.get(stepId);
    return type === "step_skipped" && !started?.has(stepId) && node && ended.has(outermost(node).id);
  });
  return new Set(skipped.map(({ stepId }) => stepId));
}
