import type { WorkflowNode } from "../../../contract/workflow.ts";
import { labelText, laneText } from "../../graph/lane-text.ts";
import { type Line, lineOf, span, spread } from "../draw/line.ts";
import { showTook } from "../draw/moments.ts";
import { type Column, drawRow, drawTitles, placeColumns } from "../draw/table.ts";
import { type NodeStatus, statusLook, type Theme } from "../draw/theme.ts";
import { graphLines } from "../model/graph-rows.ts";
import { layoutOf } from "../model/layout.ts";
import { keepInSight } from "../model/list.ts";
import type { GraphState, Model } from "../model/model.ts";
import { isEntry } from "../model/run.ts";

/** What a run did at a node: its last status there, how long the last step took, how many steps there were. */
export type NodeTrace = { status: NodeStatus; took: number | null; steps: number };

function traceNodes({ run, graph }: Model): ReadonlyMap<string, NodeTrace> | null {
  if (!graph?.runId || run?.id !== graph.runId) return null;
  const traces = new Map<string, NodeTrace>();
  for (const { step_id: id, status, duration_ms: took } of run.steps.values()) {
    traces.set(id, { status, took, steps: (traces.get(id)?.steps ?? 0) + 1 });
  }
  return traces;
}

type NodeRow = { node: WorkflowNode; kind: string; trace: NodeTrace | null; remark: string; after: string };

function nodeRow(model: Model, graph: GraphState, id: string, theme: Theme): NodeRow | null {
  const node = graph.definition?.nodes.find((one) => one.id === id);
  if (!node) return null;
  const traces = traceNodes(model);
  const untouched: NodeTrace = { status: isEntry(node.type) ? "completed" : "not_reached", took: null, steps: 0 };
  const trace = traces ? (traces.get(id) ?? untouched) : null;
  const sources = graph.definition?.edges.filter(({ target }) => target === id) ?? [];
  const after = sources.map(({ source, sourceHandle }) =>
    sourceHandle === "default" ? source : `${source}.${sourceHandle}`,
  );
  return { node, kind: kindOf(node), trace, remark: trace ? remarkOf(trace, theme) : "", after: after.join(", ") };
}

/** The type of a node, or what it calls, and whether it has a gate. */
function kindOf({ type, data }: WorkflowNode): string {
  const operation = [data["connector"], data["operation"]].filter((part) => typeof part === "string").join(".");
  return (operation === "" ? type : operation) + (data["requireApproval"] === true ? " · needs approval" : "");
}

function remarkOf({ status, took, steps }: NodeTrace, theme: Theme): string {
  const word = status === "completed" || status === "not_reached" ? "" : statusLook(status, theme).word;
  return [word, steps > 1 ? `×${steps}` : "", took === null ? "" : showTook(took)].filter(Boolean).join(" ");
}

/** The graph in lanes, or, for whoever can't see lanes, the same as a table. */
export function drawGraph(model: Model, theme: Theme): Line[] {
  const { graph } = model;
  if (!graph) return [];
  if (graph.problem !== null) return [[], lineOf(`  ${graph.problem}`, "red")];
  if (!graph.definition) return [[], lineOf("  Loading…", "dim")];
  return graph.isTable || model.place.isSpoken ? drawTable(model, graph, theme) : drawLines(model, graph, theme);
}

function drawLines(model: Model, graph: GraphState, theme: Theme): Line[] {
  const { width, graphRows } = layoutOf(model.size);
  const airy = graphLines(graph, true);
  const rows = airy.length <= graphRows ? airy : graphLines(graph, false);
  const index = rows.findIndex(({ nodeId }) => nodeId !== null && nodeId === graph.list.selected);
  const top = keepInSight(Math.max(0, index - Math.floor(graphRows / 2)), index, graphRows, rows.length);
  const laneWidth = Math.min(24, Math.max(...rows.map(({ cells }) => cells.length)) * 2 - 1);
  const nameWidth = Math.min(28, Math.max(...(graph.definition?.nodes ?? []).map(({ id }) => id.length), 8) + 2);
  return rows.slice(top, top + graphRows).map((row): Line => {
    if (row.nodeId === null) {
      const across = laneText(row, "", theme.isAscii).padEnd(laneWidth);
      return [span(`  ${across}`, "dim"), span(` ${labelText(row)}`, "cyan")];
    }
    const about = nodeRow(model, graph, row.nodeId, theme);
    const isSelected = row.nodeId === graph.list.selected;
    const look = about?.trace
      ? statusLook(about.trace.status, theme)
      : { sign: theme.isAscii ? "o" : "○", style: undefined };
    const back = row.back.map((id) => ` back to ${id}`).join("");
    const lanes = laneText(row, "\u0000", theme.isAscii).split("\u0000");
    const left: Line = [
      isSelected ? span(theme.marker, "cyan") : span(" "),
      span(" "),
      span(lanes[0] ?? "", "dim"),
      span(look.sign, look.style),
      span(lanes[1] ?? "", "dim"),
      span(" ".repeat(Math.max(0, laneWidth - laneText(row, "o", theme.isAscii).length))),
      { text: ` ${span(row.nodeId).text.padEnd(nameWidth)}`, isBold: isSelected },
      span(`${about?.kind ?? ""}${back}`, "dim"),
    ];
    return spread(left, lineOf(about?.remark ? `${about.remark} ` : "", look.style), width, theme.more);
  });
}

function tableColumns(theme: Theme): Column<NodeRow>[] {
  return [
    { title: "NODE", min: 18, max: 32, cell: ({ node }) => ({ text: node.id }) },
    { title: "TYPE", min: 16, max: 36, cell: ({ kind }) => ({ text: kind }) },
    { title: "AFTER", min: 14, max: 40, cell: ({ after }) => ({ text: after === "" ? "the start" : after }) },
    {
      title: "STATE",
      min: 12,
      max: 24,
      cell: ({ trace, remark }) => {
        const look = trace ? statusLook(trace.status, theme) : null;
        return { text: look ? `${look.word} ${remark.replace(look.word, "").trim()}`.trim() : "-", style: look?.style };
      },
    },
  ];
}

function graphNodes(model: Model, graph: GraphState, theme: Theme): NodeRow[] {
  return graphLines(graph, false).flatMap(({ nodeId }) => {
    const row = nodeId === null ? null : nodeRow(model, graph, nodeId, theme);
    return row ? [row] : [];
  });
}

function drawTable(model: Model, graph: GraphState, theme: Theme): Line[] {
  const { width, height } = layoutOf(model.size);
  const rows = graphNodes(model, graph, theme);
  const placed = placeColumns(tableColumns(theme), width - 2);
  const index = rows.findIndex(({ node }) => node.id === graph.list.selected);
  const top = keepInSight(graph.list.top, index, height - 1, rows.length);
  const shown = rows.slice(top, top + height - 1);
  return [
    drawTitles(placed, theme),
    ...shown.map((row) => drawRow(placed, row, row.node.id === graph.list.selected, theme)),
  ];
}

/** What the signs of a graph with a run on it mean. */
export function drawGraphInfo({ graph }: Model, theme: Theme): Line {
  if (!graph?.runId) return lineOf(` ${graph?.definition?.nodes.length ?? 0} nodes`, "dim");
  const shown = (["completed", "running", "pending_approval", "failed", "skipped", "not_reached"] as const).map(
    (status) => {
      const { sign, word, style } = statusLook(status, theme);
      return [span(` ${sign}`, style), span(` ${word} `, "dim")];
    },
  );
  return shown.flat();
}

export { graphNodes, tableColumns };
