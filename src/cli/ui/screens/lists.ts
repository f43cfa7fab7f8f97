import type { Action } from "../../../contract/action.ts";
import type { WorkflowSummaryBody } from "../../../contract/workflow-api.ts";
import { type Line, span } from "../draw/line.ts";
import { type Column, drawRow, drawTitles, placeColumns } from "../draw/table.ts";
import type { Theme } from "../draw/theme.ts";
import { layoutOf } from "../model/layout.ts";
import { keepInSight, type ListState } from "../model/list.ts";
import type { Model } from "../model/model.ts";

export const actionColumns: Column<Action>[] = [
  { title: "ACTION", min: 16, max: 32, cell: ({ slug }) => ({ text: slug }) },
  {
    title: "VERSION",
    min: 7,
    align: "right",
    drop: 2,
    cell: ({ release }) => ({ text: release ? `v${release.version}` : "-" }),
  },
  {
    title: "STATUS",
    min: 8,
    cell: ({ status }) => ({ text: status, style: status === "active" ? "green" : "yellow" }),
  },
  {
    title: "APPROVAL",
    min: 8,
    cell: ({ approval_policy: policy }) => ({ text: policy, style: policy === "always" ? "magenta" : "dim" }),
  },
  {
    title: "DESCRIPTION",
    min: 12,
    max: 80,
    cell: ({ name, description }) => ({ text: description ?? name, style: "dim" }),
  },
];

export const workflowColumns: Column<WorkflowSummaryBody>[] = [
  { title: "WORKFLOW", min: 18, max: 40, cell: ({ name }) => ({ text: name }) },
  { title: "ACTION", min: 14, max: 32, cell: ({ action_slug: slug }) => ({ text: slug ?? "-" }) },
  { title: "TYPE", min: 12, drop: 1, cell: ({ type }) => ({ text: type.replace("_", " "), style: "dim" }) },
  {
    title: "VERSION",
    min: 7,
    cell: ({ deployed_version: version }) => ({ text: version === null ? "draft" : `v${version}` }),
  },
];

/** The actions that can be run. */
export function drawActions(model: Model, theme: Theme): Line[] {
  return drawList(model, theme, {
    ...model.actions,
    columns: actionColumns,
    id: ({ slug }) => slug,
    empty: "No actions are published.",
  });
}

/** The workflows whose graphs can be shown. */
export function drawWorkflows(model: Model, theme: Theme): Line[] {
  return drawList(model, theme, {
    ...model.workflows,
    columns: workflowColumns,
    id: ({ workflow_id: id }) => id,
    empty: model.place.isLocal ? "No workflows yet." : "Graphs are shown for the daemon of this machine alone.",
  });
}

type List<Row> = {
  all: readonly Row[] | null;
  list: ListState;
  columns: readonly Column<Row>[];
  id: (row: Row) => string;
  empty: string;
};

function drawList<Row>(model: Model, theme: Theme, { all, list, columns, id, empty }: List<Row>): Line[] {
  const { width, height, listRows } = layoutOf(model.size);
  if (!all || all.length === 0) {
    const text = all || !model.place.isLocal ? empty : "Loading…";
    const above = Array.from({ length: Math.floor(height / 2) }, (): Line => []);
    return [...above, [{ text: " ".repeat(Math.max(0, Math.floor((width - text.length) / 2))) }, span(text)]];
  }
  const placed = placeColumns(columns, width - 2);
  const index = all.findIndex((row) => id(row) === list.selected);
  const top = keepInSight(list.top, index, listRows, all.length);
  const rows = all.slice(top, top + listRows).map((row) => drawRow(placed, row, id(row) === list.selected, theme));
  return [drawTitles(placed, theme), ...rows];
}
