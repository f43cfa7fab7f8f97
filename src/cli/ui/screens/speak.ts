import type { Column } from "../draw/table.ts";
import { speakRow } from "../draw/table.ts";
import { span, textWidth } from "../draw/line.ts";
import { makeTheme, statusLook, type Theme } from "../draw/theme.ts";
import { selectedApproval, shownApprovals } from "../model/approvals.ts";
import type { DecisionForm } from "../model/form.ts";
import { jsonLines } from "../model/json-lines.ts";
import { bindingsOf } from "../model/keys.ts";
import { layoutOf } from "../model/layout.ts";
import { keepInSight } from "../model/list.ts";
import type { Model } from "../model/model.ts";
import { placesOf } from "../model/places.ts";
import { shownPayload, stepRows } from "../model/run.ts";
import { queuedRuns, shownRuns } from "../model/runs.ts";
import { shortId } from "../model/short-id.ts";
import { speakRequest } from "./speak-request.ts";
import { approvalColumns, gateOf } from "./approvals.ts";
import { sayRedacted } from "./form.ts";
import { graphNodes, tableColumns } from "./graph.ts";
import { actionColumns, workflowColumns } from "./lists.ts";
import { sayConfirm, sayConnection } from "./panels.ts";
import { runColumns } from "./runs.ts";

/** A theme whose statuses are words: their signs are spoken by nobody. */
const words: Theme = { ...makeTheme({ isAscii: true, isColoured: false }), more: "..." };

/**
 * The screen as sentences, for screen readers: no boxes, no columns, states in words. Nothing in it changes by the mere
 * passing of time.
 */
export function speakScreen(model: Model): string[] {
  const { connection, modal, notice } = model;
  const panel = sayConnection(model, connection);
  const state = connection.kind === "live" ? "connected" : connection.kind;
  const lines = [
    `Stepgate, ${model.screen}, ${state}.`,
    ...(notice ? [notice.text] : []),
    ...(panel ? [panel.title, ...panel.lines.filter(Boolean)] : []),
    ...(modal ? speakModal(model) : speakBody(model)),
    `Keys: ${bindingsOf(placesOf(model)[0] ?? "runs")
      .filter(({ label }) => label !== undefined)
      .map(({ keys, label }) => `${keys[0]} ${label}`)
      .join(", ")}.`,
  ];
  return lines.map((line) => span(line).text);
}

function speakBody(model: Model): string[] {
  switch (model.screen) {
    case "runs":
      return speakRuns(model);
    case "approvals":
      return speakApprovals(model);
    case "actions":
      return speakList(model, actionColumns, model.actions.all ?? [], ({ slug }) => slug, model.actions.list.selected);
    case "workflows":
      return speakList(
        model,
        workflowColumns,
        model.workflows.all ?? [],
        (one) => one.workflow_id,
        model.workflows.list.selected,
      );
    case "graph":
      if (!model.graph) return [];
      return speakList(
        model,
        tableColumns(words),
        graphNodes(model, model.graph, words),
        ({ node }) => node.id,
        model.graph.list.selected,
      );
    case "run":
      return speakRun(model);
  }
}

function speakApprovals(model: Model): string[] {
  const { rows, columns } = model.size;
  const room = Math.floor((rows - 8) / 2);
  const request = selectedApproval(model);
  return [
    ...speakList(
      model,
      approvalColumns(model),
      shownApprovals(model.approvals),
      ({ id }) => id,
      model.approvals.list.selected,
      room,
    ),
    ...(request ? speakRequest(request, room, columns) : []),
  ];
}

function speakRuns(model: Model): string[] {
  const queued = queuedRuns(model.runs, model.now);
  const news = queued === 0 ? [] : [`${queued} new runs above, g goes there.`];
  const filter = model.isFiltering || model.runs.filter !== "" ? [`Filter: ${model.runs.filter}`] : [];
  const columns = wordColumns(runColumns(model, words));
  return [
    ...filter,
    ...news,
    ...speakList(model, columns, shownRuns(model.runs, model.now), (run) => run.run_id, model.runs.list.selected),
  ];
}

/** A status column says the word without the sign before it. */
function wordColumns<Row>(columns: Column<Row>[]): Column<Row>[] {
  return columns.map((column) =>
    column.title === "STATUS" ? { ...column, cell: (row: Row) => ({ text: column.cell(row).text.slice(2) }) } : column,
  );
}

function speakList<Row>(
  model: Model,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  id: (row: Row) => string,
  selected: string | null,
  room = layoutOf(model.size).listRows - 3,
): string[] {
  if (rows.length === 0) return ["The list is empty."];
  const index = rows.findIndex((row) => id(row) === selected);
  const say = (row: Row, place: number) => {
    const mark = place === index ? "Selected: " : "";
    return `${mark}${place + 1} of ${rows.length}, ${speakRow(columns, row)}.`;
  };
  return sayAround(rows, index, say, room, model.size.columns);
}

/** The sentences around the selected row that so many lines of the terminal hold: what scrolls away is read by nobody. */
function sayAround<Row>(
  rows: readonly Row[],
  index: number,
  say: (row: Row, place: number) => string,
  room: number,
  columns: number,
): string[] {
  for (let count = Math.max(1, room); ; count -= 1) {
    const top = keepInSight(0, index, count, rows.length);
    const said = rows.slice(top, top + count).map((row, place) => say(row, top + place));
    const taken = said.reduce((sum, text) => sum + Math.max(1, Math.ceil(textWidth(span(text).text) / columns)), 0);
    if (taken <= room || count === 1) return said;
  }
}

function speakRun({ run, size }: Model): string[] {
  if (!run) return [];
  const { detail, events, list } = run;
  if (!detail) return [run.problem ?? "Loading."];
  const { value, title } = shownPayload(run);
  const last = events.at(-1);
  const room = Math.max(4, Math.floor((size.rows - 10) / 2));
  const steps = stepRows(run);
  const payload = jsonLines(value, run.folds);
  const mark = (isSelected: boolean) => (isSelected ? "Selected: " : "");
  return [
    `Run ${shortId(run.id)} of ${detail.action_slug ?? "a workflow"}, ${statusLook(detail.status, words).word}.`,
    ...(detail.error ? [`Error ${detail.error.code}: ${detail.error.message}`] : []),
    ...(last ? [`Last event, number ${last.seq}: ${last.type.replaceAll("_", " ")} ${last.step_id}.`] : []),
    `Pane ${run.pane}.`,
    ...sayAround(
      steps,
      steps.findIndex(({ key }) => key === list.selected),
      ({ key, title: name, status }) =>
        `${mark(key === list.selected)}step ${name}, ${statusLook(status, words).word}.`,
      room,
      size.columns,
    ),
    `Payload of ${title}, ${run.part}:`,
    ...sayAround(
      payload,
      payload.findIndex(({ path }) => path === run.payload.selected),
      ({ path, text }) => `${mark(run.pane === "payload" && path === run.payload.selected)}${text}`,
      room,
      size.columns,
    ),
  ];
}

function speakForm({ approvals, run, size }: Model, form: DecisionForm): string[] {
  const { decision, field, comment, typed, problem, runId } = form;
  const known = [...shownApprovals(approvals), ...(run?.detail?.approval ? [run.detail.approval] : [])];
  const request = known.find(({ id }) => id === form.approvalId);
  return [
    `${decision === "approved" ? "Approve" : "Reject"} run ${shortId(runId)} of ${form.actionSlug ?? "a workflow"}, ${gateOf({ step_id: form.stepId, iteration: null })}.`,
    ...(request ? speakRequest(request, Math.max(4, size.rows - 12), size.columns) : []),
    ...(form.redactedCount > 0 ? [`${sayRedacted(form.redactedCount)}.`] : []),
    `Field ${field}. Comment: ${comment === "" ? "none" : comment}.`,
    `Type ${form.wanted.split("").join(" ")} in the field confirm: ${typed === "" ? "nothing yet" : typed}.`,
    ...(problem === null ? [] : [problem]),
  ];
}

function speakModal(model: Model): string[] {
  const { modal } = model;
  switch (modal?.kind) {
    case "form":
      return speakForm(model, modal);
    case "confirm":
      return [
        `${modal.what === "replay" ? "Replay" : "Cancel"} run ${shortId(modal.runId)}? y for yes.`,
        ...sayConfirm(modal).map(({ text }) => text),
      ];
    case "help":
      return bindingsOf(model.screen).map(({ keys, does }) => `${keys.join(" or ")}: ${does}.`);
    case "log":
      return [`${modal.title}:`, ...(modal.isDiff ? modal.lines.slice(0, 40) : modal.lines.slice(-20))];
    case undefined:
      return [];
  }
}
