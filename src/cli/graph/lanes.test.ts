import fc from "fast-check";
import { expect, it } from "vitest";
import { graphText } from "./lane-text.ts";
import { drawLanes, type LaneCell, type LaneEdge, type LaneRow } from "./lanes.ts";

const draw = (rows: LaneRow[], isAscii = false) => graphText(rows, (id) => ({ sign: "o", text: id }), isAscii);
const edge = (source: string, target: string, sourceHandle = "default"): LaneEdge => ({ source, target, sourceHandle });
const nodes = (...ids: string[]) => ids.map((id) => ({ id }));

const diamond = [
  edge("start", "check"),
  edge("check", "yes", "true"),
  edge("check", "no", "false"),
  edge("yes", "merge"),
  edge("no", "merge"),
  edge("merge", "end"),
];

it("a branch parts under its node, with the names of its handles, and meets again above the node that joins it", () => {
  expect(draw(drawLanes(nodes("start", "check", "yes", "no", "merge", "end"), diamond))).toEqual([
    "o start",
    "o check",
    "├─╮  true | false",
    "o │ yes",
    "│ o no",
    "├─╯",
    "o merge",
    "o end",
  ]);
});

it("ASCII has its own lines, and an airy graph a line between nodes that follow each other", () => {
  const rows = drawLanes(nodes("start", "check", "yes", "no", "merge", "end"), diamond, { isAiry: true });
  expect(draw(rows, true)).toEqual([
    "o start",
    "|",
    "o check",
    "+-.  true | false",
    "| |",
    "o | yes",
    "| |",
    "| o no",
    "+-'",
    "o merge",
    "|",
    "o end",
  ]);
});

it("lines that cross are drawn as crossing", () => {
  const edges = [edge("a", "b"), edge("a", "c"), edge("a", "d"), edge("b", "c"), edge("b", "d"), edge("c", "d")];
  expect(draw(drawLanes(nodes("a", "b", "c", "d"), edges))).toEqual([
    "o a",
    "├─┬─╮",
    "o │ │ b",
    "├─┼─┼─╮",
    "├─╯ │ │",
    "o   │ │ c",
    "├───┴─╯",
    "o d",
  ]);
});

it("a cycle is drawn as far as it is none, and told of where it leads back", () => {
  const rows = drawLanes(nodes("a", "b"), [edge("a", "b"), edge("b", "a")]);
  expect(draw(rows)).toEqual(["o a", "o b (back to a)"]);
});

/** A graph without cycles: edges lead from earlier to later nodes, the definition's order is another one. */
const graphs = fc
  .integer({ min: 1, max: 14 })
  .chain((count) =>
    fc.record({
      order: fc.shuffledSubarray(
        Array.from({ length: count }, (_, n) => `n${n}`),
        { minLength: count },
      ),
      edges: fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: count - 1 }), fc.integer({ min: 0, max: count - 1 })), {
        maxLength: 24,
        selector: ([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`,
      }),
      isAiry: fc.boolean(),
    }),
  )
  .map(({ order, edges, isAiry }) => ({
    order,
    isAiry,
    edges: edges.filter(([a, b]) => a !== b).map(([a, b]) => edge(`n${Math.min(a, b)}`, `n${Math.max(a, b)}`)),
  }));

type Side = "up" | "left" | "right";

/** Where a line goes on from a cell that it entered from one side. Where two lines cross, each goes straight on. */
function onward({ up, down, left, right }: LaneCell, from: Side): { by: [y: number, x: number]; from: Side }[] {
  const isCrossing = up && down && left && right;
  const goes = (isOpen: boolean, by: [number, number], next: Side, straight: Side, opposite: Side | null) =>
    isOpen && from !== opposite && (from === straight || !isCrossing) ? [{ by, from: next }] : [];
  return [
    ...goes(down, [1, 0], "up", "up", null),
    ...goes(right, [0, 1], "left", "left", "right"),
    ...goes(left, [0, -1], "right", "right", "left"),
  ];
}

/** Follows a line from a place downwards: the nodes at which it arrives. */
function arrivals(rows: readonly LaneRow[], row: number, column: number): Set<string> {
  const reached = new Set<string>();
  const seen = new Set<string>();
  const go = (y: number, x: number, from: Side): void => {
    const cell = rows[y]?.cells[x];
    if (!cell?.[from] || seen.has(`${y}/${x}/${from}`)) return;
    seen.add(`${y}/${x}/${from}`);
    const node = rows[y]?.nodeId;
    if (cell.node && node) reached.add(node);
    else for (const next of onward(cell, from)) go(y + next.by[0], x + next.by[1], next.from);
  };
  go(row + 1, column, "up");
  return reached;
}

/** What leaves a cell to one side is taken up by its neighbour there, and no line has two nodes. */
function isWhole(rows: readonly LaneRow[]): boolean {
  return rows.every(({ cells, nodeId }, y) => {
    const isJoined = cells.every(
      ({ right, down }, x) => right === (cells[x + 1]?.left ?? false) && (!down || rows[y + 1]?.cells[x]?.up === true),
    );
    return isJoined && cells.filter(({ node }) => node).length === (nodeId === null ? 0 : 1);
  });
}

it("of any graph every node has one line, below all that lead to it, and every edge a line that arrives", () => {
  fc.assert(
    fc.property(graphs, ({ order, edges, isAiry }) => {
      const rows = drawLanes(nodes(...order), edges, { isAiry });
      const drawn = rows.flatMap(({ nodeId }) => (nodeId === null ? [] : [nodeId]));
      expect(drawn.toSorted()).toEqual(order.toSorted());
      for (const { source, target } of edges) {
        expect(drawn.indexOf(source)).toBeLessThan(drawn.indexOf(target));
        const row = rows.findIndex(({ nodeId }) => nodeId === source);
        const column = rows[row]?.cells.findIndex(({ node }) => node) ?? -1;
        expect(arrivals(rows, row, column)).toContain(target);
      }
      expect(isWhole(rows)).toBe(true);
    }),
  );
});
