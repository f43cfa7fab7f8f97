import type { RunStatus, StepStatus } from "../../../contract/run.ts";
import type { Style } from "../../colour.ts";

/** How everything is drawn: signs of one column each, and whether there is colour. */
export type Theme = {
  isAscii: boolean;
  isColoured: boolean;
  box: Readonly<
    Record<
      | "topLeft"
      | "topRight"
      | "bottomLeft"
      | "bottomRight"
      | "across"
      | "down"
      | "teeLeft"
      | "teeRight"
      | "teeDown"
      | "teeUp",
      string
    >
  >;
  /** Stands where text was cut off. */
  more: string;
  marker: string;
  cursor: string;
  folded: string;
  live: string;
  lost: string;
  into: string;
  upDown: string;
};

const unicode: Omit<Theme, "isColoured"> = {
  isAscii: false,
  box: {
    topLeft: "┌",
    topRight: "┐",
    bottomLeft: "└",
    bottomRight: "┘",
    across: "─",
    down: "│",
    teeLeft: "├",
    teeRight: "┤",
    teeDown: "┬",
    teeUp: "┴",
  },
  more: "…",
  marker: ">",
  cursor: "▏",
  folded: "▸",
  live: "●",
  lost: "○",
  into: "▸",
  upDown: "↑↓",
};

const ascii: Omit<Theme, "isColoured"> = {
  isAscii: true,
  box: {
    topLeft: "+",
    topRight: "+",
    bottomLeft: "+",
    bottomRight: "+",
    across: "-",
    down: "|",
    teeLeft: "+",
    teeRight: "+",
    teeDown: "+",
    teeUp: "+",
  },
  more: "~",
  marker: ">",
  cursor: "_",
  folded: "+",
  live: "*",
  lost: "o",
  into: ">",
  upDown: "up/down",
};

export function makeTheme({ isAscii, isColoured }: { isAscii: boolean; isColoured: boolean }): Theme {
  return { ...(isAscii ? ascii : unicode), isColoured };
}

export type StatusLook = { sign: string; word: string; style: Style };

/** What a node of a graph or a step can be in: a step's status, or not reached. */
export type NodeStatus = StepStatus | "not_reached";

const looks: Record<RunStatus | NodeStatus, readonly [sign: string, ascii: string, word: string, style: Style]> = {
  accepted: ["○", "o", "queued", "dim"],
  running: ["●", "*", "running", "cyan"],
  waiting: ["◷", "w", "waiting", "yellow"],
  waiting_for_approval: ["‖", "?", "needs approval", "magenta"],
  pending_approval: ["‖", "?", "needs approval", "magenta"],
  succeeded: ["✓", "+", "succeeded", "green"],
  completed: ["✓", "+", "done", "green"],
  failed: ["✗", "x", "failed", "red"],
  failed_continued: ["✗", "x", "failed, went on", "yellow"],
  skipped: ["─", "-", "skipped", "dim"],
  cancelled: ["⊘", "/", "cancelled", "yellow"],
  timed_out: ["!", "!", "timed out", "red"],
  not_reached: ["·", ".", "not reached", "dim"],
};

/** A status by its sign and its word: colour alone says nothing (cli.md). */
export function statusLook(status: RunStatus | NodeStatus, { isAscii }: Pick<Theme, "isAscii">): StatusLook {
  // A newer daemon may have a status that this command does not know.
  const [sign, plain, word, style] = Object.hasOwn(looks, status)
    ? looks[status]
    : ["?", "?", status.replaceAll("_", " "), "dim" as const];
  return { sign: isAscii ? plain : sign, word, style };
}
