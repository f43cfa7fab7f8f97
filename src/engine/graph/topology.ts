import type { WorkflowEdge } from "../../contract/workflow.ts";

/** The shape of a graph, readable even when the graph is broken: edges to nodes that do not exist are left out. */
export type Topology = {
  /** Topological, ties in the definition's order. Nodes on cycles are left out. */
  order: readonly string[];
  /** One cycle for each knot of nodes that reach each other, beginning with its first node in the definition. */
  cycles: readonly (readonly string[])[];
  /** All nodes upstream; on a cycle the node itself is among them. */
  ancestors(id: string): ReadonlySet<string>;
  /** The innermost loop whose body holds the node. */
  loopOf(id: string): string | null;
  /** What is reachable from a loop's `loop` handle, nested bodies included (contract 5). */
  bodyOf(loopId: string): ReadonlySet<string>;
  /** How many loops enclose the node. */
  depthOf(id: string): number;
};

type Node = { id: string; index: number; type: string; next: Node[]; previous: Node[]; body: Node[] };

const nothing: ReadonlySet<string> = new Set();

/** Reads order, cycles and loop bodies off a graph. Where an id occurs twice, the first node stands for it. */
export function analyzeTopology(
  nodes: readonly { id: string; type: string }[],
  edges: readonly WorkflowEdge[],
): Topology {
  const byId = linkNodes(nodes, edges);
  const all = [...byId.values()];
  const cycles = findCycles(all);
  const bodies = findBodies(all);
  const enclosing = findEnclosing(bodies);
  const ancestors = new Map<string, ReadonlySet<string>>();

  return {
    order: sortNodes(all, cycles),
    cycles: cycles.map((knot) => shortestCycle(knot).map((node) => node.id)),
    ancestors(id) {
      const known = ancestors.get(id);
      if (known) return known;
      const found = toIds(reach(byId.get(id)?.previous ?? [], (node) => node.previous));
      ancestors.set(id, found);
      return found;
    },
    loopOf: (id) => enclosing.get(id)?.[0] ?? null,
    bodyOf: (loopId) => bodies.get(loopId) ?? nothing,
    depthOf: (id) => enclosing.get(id)?.length ?? 0,
  };
}

function linkNodes(
  nodes: readonly { id: string; type: string }[],
  edges: readonly WorkflowEdge[],
): ReadonlyMap<string, Node> {
  const byId = new Map<string, Node>();
  for (const { id, type } of nodes) {
    if (!byId.has(id)) byId.set(id, { id, index: byId.size, type, next: [], previous: [], body: [] });
  }
  for (const edge of edges) {
    const source = byId.get(edge.source);
    const target = byId.get(edge.target);
    if (!source || !target) continue;
    source.next.push(target);
    target.previous.push(source);
    if (source.type === "loop" && edge.sourceHandle === "loop") source.body.push(target);
  }
  return byId;
}

/** Everything reachable from `starts` (themselves included) without passing through `barrier`. */
function reach(starts: readonly Node[], step: (node: Node) => readonly Node[], barrier?: Node): Set<Node> {
  const seen = new Set<Node>();
  const open = [...starts];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node === barrier || seen.has(node)) continue;
    seen.add(node);
    open.push(...step(node));
  }
  return seen;
}

function toIds(nodes: Iterable<Node>): Set<string> {
  return new Set(Array.from(nodes, (node) => node.id));
}

/** The knots: sets of nodes that reach each other, and nodes with an edge to themselves (Kosaraju's two passes). */
function findCycles(all: readonly Node[]): readonly (readonly Node[])[] {
  const knots: Node[][] = [];
  const assigned = new Set<Node>();
  for (const node of finishingOrder(all).toReversed()) {
    if (assigned.has(node)) continue;
    const knot = [...reach([node], (at) => at.previous.filter((previous) => !assigned.has(previous)))];
    for (const member of knot) assigned.add(member);
    if (knot.length > 1 || node.next.includes(node)) knots.push(knot.toSorted((a, b) => a.index - b.index));
  }
  return knots.toSorted((a, b) => (a[0]?.index ?? 0) - (b[0]?.index ?? 0));
}

/** Depth-first post-order with a stack of its own: a broken file may chain thousands of nodes. */
function finishingOrder(all: readonly Node[]): Node[] {
  const finished: Node[] = [];
  const seen = new Set<Node>();
  const stack = all.toReversed().map((node) => ({ node, entered: false }));
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (top.entered) finished.push(top.node);
    if (seen.has(top.node)) continue;
    seen.add(top.node);
    stack.push({ node: top.node, entered: true });
    for (const node of top.node.next) stack.push({ node, entered: false });
  }
  return finished;
}

/** A shortest way from the knot's first node back to itself; breadth first, inside the knot. */
function shortestCycle(knot: readonly Node[]): readonly Node[] {
  const start = knot[0];
  const members = new Set(knot);
  const cameFrom = new Map<Node, Node>();
  const queue = knot.slice(0, 1);
  for (const node of queue) {
    if (start && node.next.includes(start)) return trace(node, cameFrom);
    for (const next of node.next) {
      if (next === start || !members.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return knot;
}

function trace(last: Node, cameFrom: ReadonlyMap<Node, Node>): readonly Node[] {
  const path: Node[] = [];
  for (let node: Node | undefined = last; node; node = cameFrom.get(node)) path.push(node);
  return path.toReversed();
}

/** Kahn's algorithm over the nodes that lie on no cycle; `ready` is kept in the definition's order. */
function sortNodes(all: readonly Node[], cycles: readonly (readonly Node[])[]): readonly string[] {
  const knotted = new Set(cycles.flat());
  const free = all.filter((node) => !knotted.has(node));
  const missing = new Map(free.map((node) => [node, node.previous.filter((at) => !knotted.has(at)).length]));
  const ready = free.filter((node) => missing.get(node) === 0);
  const order: string[] = [];
  for (let node = ready.shift(); node; node = ready.shift()) {
    order.push(node.id);
    for (const next of node.next) {
      const left = (missing.get(next) ?? 0) - 1;
      missing.set(next, left);
      if (left === 0) insertInOrder(ready, next);
    }
  }
  return order;
}

function insertInOrder(ready: Node[], node: Node): void {
  let low = 0;
  let high = ready.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ready[middle]?.index ?? 0) < node.index) low = middle + 1;
    else high = middle;
  }
  ready.splice(low, 0, node);
}

function findBodies(all: readonly Node[]): ReadonlyMap<string, ReadonlySet<string>> {
  const loops = all.filter((node) => node.type === "loop");
  return new Map(loops.map((loop) => [loop.id, toIds(reach(loop.body, (node) => node.next, loop))]));
}

/** Enclosing loops of every node that has any, innermost first: of nested bodies the smaller one is inside. */
function findEnclosing(bodies: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, readonly string[]> {
  const enclosing = new Map<string, string[]>();
  const innermostFirst = [...bodies].toSorted(([, a], [, b]) => a.size - b.size);
  for (const [loopId, body] of innermostFirst) {
    for (const id of body) {
      const loops = enclosing.get(id);
      if (loops) loops.push(loopId);
      else enclosing.set(id, [loopId]);
    }
  }
  return enclosing;
}
