import type { LaneCell, LaneRow } from "./lanes.ts";

const unicode: Record<string, string> = {
  "": " ",
  u: "│",
  d: "│",
  ud: "│",
  l: "─",
  r: "─",
  lr: "─",
  ur: "╰",
  ul: "╯",
  dr: "╭",
  dl: "╮",
  udr: "├",
  udl: "┤",
  ulr: "┴",
  dlr: "┬",
  udlr: "┼",
};

const ascii: Record<string, string> = {
  "": " ",
  u: "|",
  d: "|",
  ud: "|",
  l: "-",
  r: "-",
  lr: "-",
  ur: "`",
  ul: "'",
  dr: ".",
  dl: ".",
  udr: "+",
  udl: "+",
  ulr: "+",
  dlr: "+",
  udlr: "+",
};

function shapeOf({ up, down, left, right }: LaneCell): string {
  return `${up ? "u" : ""}${down ? "d" : ""}${left ? "l" : ""}${right ? "r" : ""}`;
}

/** A line's lanes as text, two columns of the terminal each; `sign` stands in the place of its node. */
export function laneText({ cells }: LaneRow, sign: string, isAscii: boolean): string {
  const set = isAscii ? ascii : unicode;
  const drawn = cells.map((cell) => {
    const line = cell.right ? (isAscii ? "-" : "─") : " ";
    return (cell.node ? sign : (set[shapeOf(cell)] ?? " ")) + line;
  });
  return drawn.join("").trimEnd();
}

/** The names of the handles on a line on which edges part, in the order of their columns. */
export function labelText({ labels }: LaneRow): string {
  return labels.map(({ text }) => text).join(" | ");
}

/** How a node is written beside its lanes. */
export type NodeText = { sign: string; text: string };

/** The whole graph as lines of text, each node with its sign and what is said of it. Texts are not made safe here. */
export function graphText(
  rows: readonly LaneRow[],
  describe: (nodeId: string) => NodeText,
  isAscii: boolean,
): string[] {
  return rows.map((row) => {
    if (row.nodeId === null) return `${laneText(row, "", isAscii)}  ${labelText(row)}`.trimEnd();
    const { sign, text } = describe(row.nodeId);
    const back = row.back.map((id) => ` (back to ${id})`).join("");
    return `${laneText(row, sign, isAscii)} ${text}${back}`;
  });
}
