import type { JournalEvent } from "../../../contract/journal.ts";
import { showStep } from "../../journal-line.ts";
import { showClock } from "../../show-time.ts";
import { fitText, type Line, lineOf, span, spread } from "../draw/line.ts";
import { showTook } from "../draw/moments.ts";
import { statusLook, type Theme } from "../draw/theme.ts";
import { jsonLines } from "../model/json-lines.ts";
import { layoutOf } from "../model/layout.ts";
import { keepInSight } from "../model/list.ts";
import type { Model } from "../model/model.ts";
import { type Pane, type RunState, shownPayload, statusAfter, stepRows } from "../model/run.ts";

/** A run: its steps and its journal side by side, and below the payload of what is selected. */
export function drawRun(model: Model, theme: Theme): Line[] {
  const { run } = model;
  const { width, stepWidth, paneRows, payloadRows } = layoutOf(model.size);
  if (!run) return [];
  if (run.problem !== null && !run.detail) return [[], lineOf(`  ${run.problem}`, "red")];
  const { box, more } = theme;
  const journalWidth = width - stepWidth - 1;
  const left = [title("STEPS", run.pane === "steps", "", theme), ...drawSteps(run, stepWidth, paneRows, theme)];
  const right = [journalTitle(run, journalWidth, theme), ...drawJournal(run, journalWidth, paneRows, theme)];
  const panes = left.map((line, index): Line => {
    const beside = right[index] ?? [];
    return spread(
      spread(line, [], stepWidth, more),
      [span(box.down, "dim"), ...spread(beside, [], journalWidth, more)],
      width,
      more,
    );
  });
  const rule = box.across.repeat(stepWidth) + box.teeUp + box.across.repeat(journalWidth);
  return [...panes, lineOf(rule, "dim"), ...drawPayload(run, width, payloadRows, theme)];
}

/** The pane whose keys count is marked: a colour alone says it to some only. */
function title(text: string, hasFocus: boolean, rest: string, { marker }: Theme): Line {
  return [hasFocus ? span(marker, "cyan") : span(" "), span(text, hasFocus ? "cyan" : "bold"), span(rest, "dim")];
}

function drawSteps(run: RunState, width: number, height: number, theme: Theme): Line[] {
  const rows = stepRows(run);
  const index = rows.findIndex(({ key }) => key === run.list.selected);
  // Without a selection the steps in progress are what one came for.
  const working = rows.findLastIndex(({ status }) => status !== "not_reached");
  const top = keepInSight(run.list.top, index === -1 && run.isFollowing ? working : index, height, rows.length);
  const lines = rows.slice(top, top + height).map(({ key, title: name, status, took }): Line => {
    const { sign, word, style } = statusLook(status, theme);
    const isSelected = key === run.list.selected;
    const right = took === null ? (["completed", "not_reached"].includes(status) ? "" : word) : showTook(took);
    const shown = fitText(span(name).text, Math.max(4, width - right.length - 6), theme.more);
    return [
      isSelected ? span(theme.marker, "cyan") : span(" "),
      span(`${sign} `, style),
      { text: shown, isBold: isSelected, style: status === "not_reached" ? "dim" : undefined },
      span(` ${right}`, took === null ? style : "dim"),
    ];
  });
  return [...lines, ...Array.from({ length: height - lines.length }, (): Line => [])];
}

function journalTitle({ pane, isFollowing, events }: RunState, width: number, theme: Theme): Line {
  const state = isFollowing ? "  follow on" : "  follow off";
  const seq = events.at(-1)?.seq;
  return spread(
    title("JOURNAL", pane === "journal", state, theme),
    lineOf(seq === undefined ? "" : `seq ${seq} `, "dim"),
    width,
    theme.more,
  );
}

function drawJournal(run: RunState, width: number, height: number, theme: Theme): Line[] {
  const { events, isFollowing, journalTop } = run;
  const top = isFollowing ? Math.max(0, events.length - height) : keepInSight(journalTop, -1, height, events.length);
  const lines = events.slice(top, top + height).map((event) => journalLine(event, width, theme));
  return [...lines, ...Array.from({ length: height - lines.length }, (): Line => [])];
}

function journalLine(event: JournalEvent, width: number, theme: Theme): Line {
  const { sign, style } = statusLook(statusAfter[event.type], theme);
  const took = event.durationMs === undefined ? "" : ` ${showTook(event.durationMs)}`;
  const attempt = event.attempt > 1 ? ` attempt ${event.attempt}` : "";
  const remark = event.copied ? " copied" : (event.error?.code ?? "") === "" ? took : ` ${event.error?.code}`;
  const left: Line = [
    span(` ${showClock(event.created_at)} `, "dim"),
    span(`${sign} `, style),
    span(event.type.replace("step_", ""), style),
    span(` ${showStep(event)}${attempt}`),
  ];
  return spread(left, lineOf(`${remark} `, event.error ? "red" : "dim"), width, theme.more);
}

const partNames = [
  ["input", "i input"],
  ["output", "o output"],
  ["error", "e error"],
] as const;

function drawPayload(run: RunState, width: number, height: number, theme: Theme): Line[] {
  const { title: of, value } = shownPayload(run);
  const names = partNames.flatMap(([part, name]): Line => [span(` ${name} `, run.part === part ? "cyan" : "dim")]);
  const head = spread(
    title("PAYLOAD", run.pane === "payload", ` ${of} · ${run.part}`, theme),
    names,
    width,
    theme.more,
  );
  const lines = jsonLines(value, run.folds);
  const index = lines.findIndex(({ path }) => path === run.payload.selected);
  const top = keepInSight(run.payload.top, index, height, lines.length);
  const shown = lines.slice(top, top + height).map(({ path, depth, text, isFolded }): Line => {
    const isSelected = run.pane === ("payload" satisfies Pane) && path === run.payload.selected;
    return [
      isSelected ? span(theme.marker, "cyan") : span(" "),
      span(isFolded ? theme.folded : " ", "cyan"),
      { text: "  ".repeat(depth) + span(text).text, isBold: isSelected },
    ];
  });
  const below = lines.length - top - height;
  const rest = below > 0 ? `${below + 1} more lines below` : "";
  return [head, ...(rest === "" ? shown : [...shown.slice(0, -1), lineOf(`  ${rest}`, "dim")])];
}

/** The line below a run: why it failed, or how to decide on it. */
export function drawRunInfo({ run }: Model): Line {
  const detail = run?.detail;
  if (run?.problem) return lineOf(` ${run.problem}`, "red");
  if (detail?.error) return [span(` ${detail.error.code}`, "red"), span(` ${detail.error.message}`)];
  if (detail?.approval?.status === "pending")
    return [
      span(` ${detail.approval.description ?? "Waits for a decision"}`, "magenta"),
      span("  a approve  x reject", "dim"),
    ];
  return detail?.resume_from_run_id ? lineOf(` replay of ${detail.resume_from_run_id}`, "dim") : [];
}
