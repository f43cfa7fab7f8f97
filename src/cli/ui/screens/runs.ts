import { isTerminal } from "../../../contract/run.ts";
import type { WatchedRun } from "../../../contract/run-watch.ts";
import { type Line, lineOf, span, spread } from "../draw/line.ts";
import { showAge, showMinute, showTook } from "../draw/moments.ts";
import { type Column, drawRow, drawTitles, placeColumns } from "../draw/table.ts";
import { statusLook, type Theme } from "../draw/theme.ts";
import { layoutOf } from "../model/layout.ts";
import { keepInSight } from "../model/list.ts";
import type { Model } from "../model/model.ts";
import { queuedRuns, shownRuns } from "../model/runs.ts";
import { shortId } from "../model/short-id.ts";

/** What a run's status says, with the error or the moment that belongs to it. */
function statusText(run: WatchedRun, isStale: boolean, theme: Theme): string {
  const { sign, word } = statusLook(run.status, theme);
  if (isStale && !isTerminal(run.status)) return `? was: ${run.status === "waiting_for_approval" ? "approval" : word}`;
  const until = run.status === "waiting" && run.resume_at !== null ? ` to ${showMinute(run.resume_at)}` : "";
  const why = run.error_code !== null && run.status !== "cancelled" ? ` ${run.error_code}` : "";
  return `${sign} ${word}${until}${why}`;
}

export function runColumns(model: Model, theme: Theme): Column<WatchedRun>[] {
  const isStale = model.connection.kind === "lost";
  return [
    { title: "RUN", min: 8, cell: (run) => ({ text: shortId(run.run_id) }) },
    { title: "ACTION", min: 14, max: 32, cell: (run) => ({ text: run.action_slug ?? "-" }) },
    {
      title: "STATUS",
      min: 18,
      max: 36,
      cell: (run) => ({ text: statusText(run, isStale, theme), style: statusLook(run.status, theme).style }),
    },
    { title: "SOURCE", min: 8, drop: 2, cell: (run) => ({ text: run.source, style: "dim" }) },
    { title: "STEPS", min: 5, align: "right", drop: 1, cell: (run) => ({ text: stepsText(run) }) },
    { title: "TIME", min: 6, align: "right", drop: 3, cell: (run) => ({ text: timeText(run, model.now) }) },
    {
      title: "AGE",
      min: 5,
      cell: (run) => ({
        text: `${showAge(model.now - Date.parse(run.created_at)).padEnd(4)}${isStale ? "~" : ""}`,
        style: "dim",
      }),
    },
  ];
}

function stepsText({ steps_done: done, steps_total: total }: WatchedRun): string {
  return total === 0 || done === null ? "-" : `${done}/${total}`;
}

/** How long it took, or how long it has been executing; a run that waits shows nothing. */
function timeText({ status, started_at: startedAt, duration_ms: took }: WatchedRun, now: number): string {
  if (took !== null) return showTook(took);
  return status === "running" && startedAt !== null ? showTook(Math.max(0, now - Date.parse(startedAt))) : "-";
}

/** The list of runs, windowed: only rows in sight are drawn. */
export function drawRuns(model: Model, theme: Theme): Line[] {
  const { width, listRows } = layoutOf(model.size);
  const { list } = model.runs;
  const runs = shownRuns(model.runs, model.now);
  const columns = placeColumns(runColumns(model, theme), width - 2);
  const index = runs.findIndex(({ run_id }) => run_id === list.selected);
  const top = keepInSight(list.top, index, listRows, runs.length);
  const rows = runs.slice(top, top + listRows).map((run) => drawRow(columns, run, run.run_id === list.selected, theme));
  const filling = Array.from({ length: Math.max(0, listRows - rows.length) }, (): Line => []);
  if (runs.length === 0) return drawNothing(model);
  return [drawTitles(columns, theme), ...rows, ...filling, drawQueue(model)];
}

function drawQueue(model: Model): Line {
  const queued = queuedRuns(model.runs, model.now);
  if (model.runs.list.selected === null) return [];
  const news = queued === 0 ? [] : [span(` ${queued} new ${queued === 1 ? "run" : "runs"} above: g to jump`, "cyan")];
  return spread(news, lineOf("list stands still while a row is selected ", "dim"), layoutOf(model.size).width, "");
}

/** An empty list says what to do next. */
function drawNothing(model: Model): Line[] {
  const { width, height } = layoutOf(model.size);
  const actions = model.actions.all ?? [];
  const names = actions.slice(0, 3).map(({ slug }) => slug);
  const published =
    actions.length === 0
      ? []
      : [
          "",
          `${actions.length} ${actions.length === 1 ? "action is" : "actions are"} published: ${names.join(", ")}${actions.length > 3 ? ", …" : ""}`,
        ];
  const texts = !model.runs.isLoaded
    ? ["Loading…"]
    : model.runs.filter.trim() !== ""
      ? ["No run fits the filter.", "", "esc in the filter clears it; enter looks for older runs, too."]
      : [
          "No runs yet.",
          "",
          "Publish a workflow:   stepgate publish workflows/hello.yaml",
          "Start a run:          stepgate run hello --input name=Ada",
          "Connect an agent:     stepgate mcp install claude-code",
          ...published,
        ];
  const left = Math.max(0, Math.floor((width - Math.max(...texts.map((text) => text.length))) / 2));
  const above = Array.from({ length: Math.max(0, Math.floor((height - texts.length) / 2)) }, (): Line => []);
  return [...above, ...texts.map((text) => [{ text: " ".repeat(left) }, span(text)])];
}

/** The line below: the filter, and how much of everything the list shows. */
export function drawRunsInfo(model: Model, theme: Theme): Line {
  const { runs, isFiltering } = model;
  const shown = shownRuns(runs, model.now).length;
  const count = lineOf(`${shown.toLocaleString("en")} of ${runs.total.toLocaleString("en")} `, "dim");
  const filter: Line =
    isFiltering || runs.filter !== ""
      ? [span(` /${runs.filter}`), ...(isFiltering ? [span(theme.cursor, "cyan")] : [])]
      : [];
  return spread(filter, count, model.size.columns, theme.more);
}
