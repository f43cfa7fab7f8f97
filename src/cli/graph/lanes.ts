/** One line of a graph that runs from top to bottom, as `git log --graph` draws one. */
export type LaneRow = {
  /** The node that stands on this line; null on a line of edges alone. */
  nodeId: string | null;
  /** What each column holds, from the left. On a node's line its own column holds `node`. */
  cells: readonly LaneCell[];
  /** On a line on which edges part: the names of their handles, with the column in which each goes on. */
  labels: readonly { column: number; text: string }[];
  /** On a node's line: nodes above, to which edges lead back. Only in a graph with a cycle. */
  back: readonly string[];
};

/** Which sides of a column a line leaves through; `node` marks the place of the node. */
export type LaneCell = { up: boolean; down: boolean; left: boolean; right: boolean; node: boolean };

export type LaneNode = { id: string };
export type LaneEdge = { source: string; target: string; sourceHandle?: string };

type Lane = { source: string; target: string; handle: string };

const empty: LaneCell = { up: false, down: false, left: false, right: false, node: false };

/**
 * Lays a graph out in lanes: every node has a line of its own, below all nodes that lead to it, and every edge a column
 * that it keeps from the line under its source to the line above its target. Edges to unknown nodes are left out; of
 * doubled ids the first node counts. `isAiry` puts a line between nodes that follow each other directly.
 */
export function drawLanes(
  nodes: readonly LaneNode[],
  edges: readonly LaneEdge[],
  { isAiry = false }: { isAiry?: boolean } = {},
): LaneRow[] {
  const order = sortNodes(nodes, edges);
  const rank = new Map(order.map((id, index) => [id, index]));
  const lanes: (Lane | null)[] = [];
  return order.flatMap((id, index) => {
    const above = rowAbove(lanes, id, isAiry && index > 0);
    const outgoing = edgesFrom(edges, id, index, rank);
    const own = drawNode(lanes, id, backEdges(edges, id, index, rank), outgoing);
    while (lanes.length > 0 && lanes.at(-1) === null) lanes.pop();
    return [...above, ...own];
  });
}

/** What stands above a node: the line on which its edges meet, or where it is wanted one that only leads on. */
function rowAbove(lanes: readonly (Lane | null)[], id: string, isAiry: boolean): LaneRow[] {
  const incoming = columnsTo(lanes, id);
  if (incoming.length > 1) return [joinRow(lanes, incoming)];
  return isAiry ? [edgeRow(lanes)] : [];
}

/** The node's line and, where its edges part or have names, the one below it. Its edges take their columns in `lanes`. */
function drawNode(lanes: (Lane | null)[], id: string, back: string[], outgoing: readonly Lane[]): LaneRow[] {
  const incoming = columnsTo(lanes, id);
  const column = incoming[0] ?? firstFree(lanes);
  for (const place of incoming) lanes[place] = null;
  const node = nodeRow(lanes, column, id, incoming.length > 0, back);
  // The node's own line leaves downwards where an edge goes on.
  if (outgoing.length > 0) setCell(node, column, { ...cellAt(node, column), down: true });
  const columns = outgoing.map((lane, place) => placeLane(lanes, lane, place === 0 ? column : null, column));
  const isParting = outgoing.length > 1 || outgoing.some(isNamed);
  return isParting ? [node, partRow(lanes, column, columns, outgoing)] : [node];
}

function isNamed({ handle }: Lane): boolean {
  return handle !== "" && handle !== "default";
}

/** Topological, ties in the order of the definition; what lies on a cycle follows where it is met first. */
function sortNodes(nodes: readonly LaneNode[], edges: readonly LaneEdge[]): string[] {
  const left = new Set(nodes.map(({ id }) => id));
  const known = new Set(left);
  const sources = new Map<string, Set<string>>();
  for (const { source, target } of edges) {
    if (!known.has(source) || !known.has(target) || source === target) continue;
    sources.set(target, (sources.get(target) ?? new Set()).add(source));
  }
  const order: string[] = [];
  while (left.size > 0) {
    const free = [...left].find((id) => [...(sources.get(id) ?? [])].every((source) => !left.has(source)));
    const [next] = free === undefined ? left : [free];
    if (next === undefined) break;
    left.delete(next);
    order.push(next);
  }
  return order;
}

function edgesFrom(edges: readonly LaneEdge[], id: string, index: number, rank: ReadonlyMap<string, number>): Lane[] {
  return edges.flatMap(({ source, target, sourceHandle = "" }) => {
    const isDown = source === id && (rank.get(target) ?? -1) > index;
    return isDown ? [{ source, target, handle: sourceHandle }] : [];
  });
}

function backEdges(edges: readonly LaneEdge[], id: string, index: number, rank: ReadonlyMap<string, number>): string[] {
  return edges.flatMap(({ source, target }) =>
    source === id && (rank.get(target) ?? Number.POSITIVE_INFINITY) <= index ? [target] : [],
  );
}

function columnsTo(lanes: readonly (Lane | null)[], id: string): number[] {
  return lanes.flatMap((lane, column) => (lane?.target === id ? [column] : []));
}

function firstFree(lanes: readonly (Lane | null)[], from = 0): number {
  for (let column = from; ; column += 1) if (!lanes[column]) return column;
}

/** Gives a lane its column: the node's own, or the next free one to its right. */
function placeLane(lanes: (Lane | null)[], lane: Lane, own: number | null, from: number): number {
  const column = own ?? firstFree(lanes, from + 1);
  while (lanes.length <= column) lanes.push(null);
  lanes[column] = lane;
  return column;
}

function cellAt({ cells }: LaneRow, column: number): LaneCell {
  return cells[column] ?? empty;
}

function setCell(row: LaneRow, column: number, cell: LaneCell): void {
  const cells = row.cells as LaneCell[];
  while (cells.length <= column) cells.push(empty);
  cells[column] = cell;
}

function passing(lanes: readonly (Lane | null)[]): LaneCell[] {
  return lanes.map((lane) => (lane ? { ...empty, up: true, down: true } : empty));
}

function edgeRow(lanes: readonly (Lane | null)[]): LaneRow {
  return { nodeId: null, cells: passing(lanes), labels: [], back: [] };
}

function nodeRow(
  lanes: readonly (Lane | null)[],
  column: number,
  id: string,
  isReached: boolean,
  back: string[],
): LaneRow {
  const row: LaneRow = { nodeId: id, cells: passing(lanes), labels: [], back };
  setCell(row, column, { ...empty, up: isReached, node: true });
  return row;
}

/** Lanes that lead to the next node come together in the first of them. */
function joinRow(lanes: readonly (Lane | null)[], incoming: readonly number[]): LaneRow {
  const row = edgeRow(lanes);
  const [first = 0] = incoming;
  const last = incoming.at(-1) ?? first;
  connect(row, first, last);
  for (const column of incoming) setCell(row, column, { ...cellAt(row, column), up: true, down: column === first });
  return row;
}

/** Edges part from their node's column into their own ones. */
function partRow(
  lanes: readonly (Lane | null)[],
  from: number,
  columns: readonly number[],
  outgoing: readonly Lane[],
): LaneRow {
  const row = edgeRow(lanes);
  const first = Math.min(from, ...columns);
  const last = Math.max(from, ...columns);
  connect(row, first, last);
  for (const column of columns) setCell(row, column, { ...cellAt(row, column), up: column === from, down: true });
  const labels = outgoing.flatMap((lane, index) =>
    isNamed(lane) ? [{ column: columns[index] ?? from, text: lane.handle }] : [],
  );
  return { ...row, labels: labels.toSorted((a, b) => a.column - b.column) };
}

/** Draws a line across from one column to another, over what passes there. */
function connect(row: LaneRow, first: number, last: number): void {
  for (let column = first; column <= last; column += 1) {
    const cell = cellAt(row, column);
    setCell(row, column, { ...cell, left: cell.left || column > first, right: cell.right || column < last });
  }
}
