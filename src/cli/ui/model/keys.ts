/** Where a key is pressed: a screen, or what lies over it. */
export const places = [
  "runs",
  "approvals",
  "actions",
  "workflows",
  "graph",
  "run",
  "form",
  "confirm",
  "filter",
  "help",
  "lost",
  "log",
] as const;
export type Place = (typeof places)[number];

export type KeyAction =
  | "show-runs"
  | "show-approvals"
  | "show-actions"
  | "show-graph"
  | "next"
  | "previous"
  | "up"
  | "down"
  | "page-up"
  | "page-down"
  | "top"
  | "bottom"
  | "open"
  | "back"
  | "filter"
  | "approve"
  | "reject"
  | "replay"
  | "cancel"
  | "edit"
  | "follow"
  | "fold"
  | "input"
  | "output"
  | "error"
  | "copy"
  | "pager"
  | "graph"
  | "table"
  | "diff"
  | "start"
  | "log"
  | "retry"
  | "help"
  | "quit"
  | "interrupt"
  | "suspend"
  | "redraw";

export type Binding = {
  action: KeyAction;
  keys: readonly string[];
  /** How footer, help and docs write the keys. */
  shown: string;
  where: readonly Place[] | "all";
  /** One or two words for the footer; absent: only in the help. */
  label?: string;
  does: string;
};

const lists: readonly Place[] = ["runs", "approvals", "actions", "workflows"];
const screens: readonly Place[] = [...lists, "graph", "run"];
const moving: readonly Place[] = [...screens, "help", "log"];
const dialogs: readonly Place[] = ["form", "confirm", "filter", "help", "log"];

/** Every key there is. The dispatcher, the footer, the help, the docs and the tests read this table and no other. */
export const bindings: readonly Binding[] = [
  bind("open", ["enter"], "⏎", [...lists, "graph"], "opens what is selected", "open"),
  bind("approve", ["a"], "a", ["runs", "approvals", "run"], "approves what a run waits for, in a form", "approve"),
  bind("reject", ["x"], "x", ["runs", "approvals", "run"], "rejects it, in a form", "reject"),
  bind("replay", ["r"], "r", ["runs", "run"], "replays a run that is over; shows first what would run again", "replay"),
  bind("cancel", ["c"], "c", ["runs", "run"], "cancels a run that is not over", "cancel"),
  bind("edit", ["e"], "e", ["confirm"], "replay: changes the input in $EDITOR first", "edit input"),
  bind("filter", ["/"], "/", ["runs"], "filters: free text, status: slug: source: since:", "filter"),
  bind("next", ["tab"], "tab", ["run", "form"], "next pane; next field of a form", "next"),
  bind("previous", ["shift-tab"], "shift-tab", ["run", "form"], "pane or field before"),
  bind("next", ["tab"], "tab", lists, "next screen"),
  bind("previous", ["shift-tab"], "shift-tab", lists, "screen before"),
  bind("follow", ["f"], "f", ["run"], "follows the journal's end, or stops following", "follow"),
  bind("fold", ["space"], "space", ["run"], "folds or unfolds a part of the payload", "fold"),
  bind("input", ["i"], "i", ["run"], "shows the step's input", "in"),
  bind("output", ["o"], "o", ["run"], "shows the step's output", "out"),
  bind("error", ["e"], "e", ["run"], "shows the step's error", "err"),
  bind("copy", ["y"], "y", ["run"], "copies the payload by OSC 52, where $STEPGATE_UI_COPY=1 allows it"),
  bind("pager", ["p"], "p", ["run", "approvals"], "shows the payload in $STEPGATE_PAGER, $PAGER or less", "pager"),
  bind("graph", ["g"], "g", ["run"], "draws the workflow's graph with this run on it", "graph"),
  bind("diff", ["v"], "v", ["graph"], "shows what changed since the version before", "diff"),
  bind("diff", ["v"], "v", ["run"], "shows what this run's version changed"),
  bind("table", ["t"], "t", ["graph"], "lists the graph as a table, or draws it again", "table"),
  bind("up", ["up", "k"], "↑ k", moving, "moves up"),
  bind("down", ["down", "j"], "↓ j", moving, "moves down"),
  bind("page-up", ["pageup", "ctrl-b"], "PgUp", moving, "moves a page up"),
  bind("page-down", ["pagedown", "ctrl-f"], "PgDn", moving, "moves a page down; at the end of the runs it loads more"),
  bind("top", ["home"], "Home", moving, "moves to the top"),
  bind("top", ["g"], "g", [...lists, "graph", "help", "log"], "moves to the top and lets new runs in"),
  bind("bottom", ["end", "G"], "G End", moving, "moves to the end"),
  bind("show-runs", ["1"], "1", screens, "runs"),
  bind("show-approvals", ["2"], "2", screens, "approvals"),
  bind("show-actions", ["3"], "3", screens, "actions"),
  bind("show-graph", ["4"], "4", screens, "graph"),
  bind("start", ["s"], "s", ["lost"], "starts the daemon", "start"),
  bind("log", ["l"], "l", ["lost"], "shows the daemon's last log lines", "log"),
  bind("retry", ["r"], "r", ["lost"], "tries to connect now", "retry"),
  bind("back", ["esc"], "esc", [...screens, ...dialogs], "goes back, closes a form, lets go of the selection", "back"),
  bind("help", ["?"], "?", screens, "shows every key", "help"),
  bind("quit", ["q"], "q", screens, "quits (exit code 0)", "quit"),
  bind("interrupt", ["ctrl-c"], "Ctrl-C", "all", "quits at once (exit code 130)"),
  bind("suspend", ["ctrl-z"], "Ctrl-Z", "all", "goes to the background; fg brings it back"),
  bind("redraw", ["ctrl-l"], "Ctrl-L", "all", "draws the screen anew"),
];

function bind(
  action: KeyAction,
  keys: readonly string[],
  shown: string,
  where: Binding["where"],
  does: string,
  label?: string,
): Binding {
  return { action, keys, shown, where, does, ...(label === undefined ? {} : { label }) };
}

/** What a key means in the first of these places that knows it; null where it means nothing. */
export function actionOf(key: string, at: readonly Place[]): KeyAction | null {
  for (const place of at) {
    const found = bindings.find(({ keys, where }) => keys.includes(key) && (where === "all" || where.includes(place)));
    if (found) return found.action;
  }
  return null;
}

export function bindingsOf(place: Place): Binding[] {
  return bindings.filter(({ where }) => where !== "all" && where.includes(place));
}
