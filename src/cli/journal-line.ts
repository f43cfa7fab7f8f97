import type { EventType, JournalEvent } from "../contract/journal.ts";
import type { Style } from "./colour.ts";
import type { Output } from "./output.ts";
import { safeText } from "./safe-text.ts";
import { showClock, showDuration } from "./show-time.ts";

const eventStyles: Record<EventType, Style> = {
  step_started: "cyan",
  step_completed: "green",
  step_failed: "red",
  step_failed_continued: "yellow",
  step_skipped: "dim",
  step_timed_out: "red",
  step_pending_approval: "magenta",
  step_waiting: "yellow",
};

const typeWidth = Math.max(...Object.keys(eventStyles).map((type) => type.length));

/** Step ids are ASCII; most are shorter than this. */
const stepWidth = 24;

/** `enrich`, and inside loops `enrich[0,2]`. */
export function showStep({ step_id, iteration }: Pick<JournalEvent, "step_id" | "iteration">): string {
  return iteration === null ? step_id : `${step_id}[${iteration.join(",")}]`;
}

/** One line for a journal event: aligned and coloured by its kind for people, tab-separated for programs. */
export function journalLine(event: JournalEvent, { format, paint }: Pick<Output, "format" | "paint">): string {
  const { seq, created_at, type, attempt, durationMs, error, copied } = event;
  if (format !== "table") {
    const cells = [seq, created_at, type, showStep(event), attempt, durationMs, error?.code, error?.message];
    return cells.map((cell) => safeText(String(cell ?? ""))).join("\t");
  }
  const remarks = [
    copied ? paint("dim", "copied") : "",
    attempt > 1 ? `attempt ${attempt}` : "",
    durationMs === undefined ? "" : showDuration(durationMs),
    error ? paint("red", `${safeText(error.code)} ${safeText(error.message)}`) : "",
  ];
  return [
    paint("dim", showClock(created_at)),
    paint(eventStyles[type] ?? "dim", safeText(type).padEnd(typeWidth)),
    safeText(showStep(event)).padEnd(stepWidth),
    ...remarks.filter((remark) => remark !== ""),
  ]
    .join("  ")
    .trimEnd();
}
