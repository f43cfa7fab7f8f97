import type { RunStatus, StepStatus } from "../contract/run.ts";
import type { Style } from "./colour.ts";
import { showDuration, showRelative } from "./show-time.ts";

/** One value of a listing: `raw` for programs, `text` for people where it differs. */
export type Cell = { raw: string; text?: string; style?: Style };

export function textCell(value: string | number | null | undefined, style?: Style): Cell {
  return { raw: value === null || value === undefined ? "" : String(value), ...(style ? { style } : {}) };
}

/** ISO for programs, relative for people. */
export function timeCell(iso: string | null, now: Date): Cell {
  return iso === null ? { raw: "" } : { raw: iso, text: showRelative(iso, now), style: "dim" };
}

/** Milliseconds for programs. */
export function durationCell(ms: number | null): Cell {
  return ms === null ? { raw: "" } : { raw: String(Math.round(ms)), text: showDuration(ms) };
}

const statusLooks: Record<RunStatus | StepStatus, readonly [sign: string, style: Style]> = {
  accepted: ["○", "dim"],
  running: ["●", "cyan"],
  waiting: ["◷", "yellow"],
  waiting_for_approval: ["‖", "magenta"],
  pending_approval: ["‖", "magenta"],
  succeeded: ["✓", "green"],
  completed: ["✓", "green"],
  failed: ["✗", "red"],
  failed_continued: ["✗", "yellow"],
  skipped: ["⊘", "dim"],
  cancelled: ["⊘", "yellow"],
  timed_out: ["!", "red"],
};

/** A run's or a step's status with its sign. */
export function statusCell(status: RunStatus | StepStatus, isUnicode: boolean): Cell {
  const [sign, style] = statusLooks[status] ?? ["?", "dim"];
  return { raw: status, text: isUnicode ? `${sign} ${status.replaceAll("_", " ")}` : status, style };
}
