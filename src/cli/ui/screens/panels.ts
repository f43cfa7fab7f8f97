import { drawBox, wrapWords } from "../draw/frame.ts";
import { type Line, lineOf, span } from "../draw/line.ts";
import type { Theme } from "../draw/theme.ts";
import { bindings, type Place, places } from "../model/keys.ts";
import type { Confirm, Connection, LongText, Model } from "../model/model.ts";
import { shortId } from "../model/short-id.ts";

/** What lies over the middle of the screen because the daemon can't be used as it should; null when it can. */
export function drawConnectionPanel(model: Model, theme: Theme): Line[] | null {
  const { connection, size } = model;
  const width = Math.min(74, size.columns - 6);
  const said = sayConnection(model, connection);
  if (!said) return null;
  const lines = said.lines.flatMap((text) =>
    text === "" ? [[]] : wrapWords(text, width - 4).map((part) => lineOf(part)),
  );
  return drawBox(said.title, lines, width, theme);
}

type Said = { title: string; lines: string[] };

/** The state of the connection in words, where it is worth a panel. */
export function sayConnection({ now, place }: Model, connection: Connection): Said | null {
  switch (connection.kind) {
    case "lost": {
      const next = Math.max(0, connection.retryAt - now) / 1000;
      const last = connection.change === null ? "" : ` · last change ${connection.change}`;
      const start = place.canStart
        ? "s starts the daemon, l shows its last log lines, "
        : place.isLocal
          ? "l shows its last log lines, "
          : "";
      return {
        title: `Lost the daemon at ${place.address}`,
        lines: [
          `${connection.reason} · try ${connection.attempt} in ${next.toFixed(1)} s${last}`,
          "Rows marked ~ are stale. Approve, reject, replay and cancel are off.",
          "",
          `${start}r tries now`,
        ],
      };
    }
    case "refused":
      return {
        title: connection.code === 403 ? "The key may not do this" : "The key was refused",
        lines:
          connection.code === 403
            ? [
                connection.message,
                "",
                "Give the key the scope, or use another one: stepgate keys mint --name NAME --scope SCOPE",
              ]
            : [
                connection.message,
                "It is wrong, revoked or expired.",
                "",
                "Mint another one where the daemon runs: stepgate keys mint --name NAME --out FILE",
                "r tries again",
              ],
      };
    case "limited":
      return {
        title: "Too many requests",
        lines: [`The daemon takes the next one in ${Math.max(0, Math.ceil((connection.until - now) / 1000))} s.`],
      };
    case "connecting":
    case "live":
      return null;
  }
}

/** The question before a replay or a cancellation. */
export function drawConfirm(modal: Confirm, model: Model, theme: Theme): Line[] {
  const width = Math.min(70, model.size.columns - 6);
  const title = `${modal.what === "replay" ? "Replay" : "Cancel"} ${shortId(modal.runId)} · ${modal.actionSlug ?? "a run"}`;
  const lines = sayConfirm(modal).flatMap(({ text, style }) =>
    wrapWords(span(text).text, width - 4).map((part) => lineOf(part, style)),
  );
  return drawBox(title, lines, width, theme, modal.state === "sending" ? "sending" : "y yes · esc no");
}

type Sentence = { text: string; style?: "red" | "yellow" | "dim" };

/** What a replay or a cancellation would do, in sentences. */
export function sayConfirm({ what, plan, input, problem }: Confirm): Sentence[] {
  const wrong: Sentence[] = problem === null ? [] : [{ text: problem, style: "red" }];
  if (what === "cancel") return [{ text: "The run ends as cancelled. Steps in progress are stopped." }, ...wrong];
  if (input !== undefined) return [{ text: "Runs everything again with the input as you changed it." }, ...wrong];
  if (!plan) return [{ text: "Asking what would run again…", style: "dim" }, ...wrong];
  const list = (ids: readonly string[]) => (ids.length === 0 ? "nothing" : ids.join(", "));
  return [
    { text: `Taken over: ${list(plan.reused)}.` },
    { text: `Runs again: ${list(plan.rerun)}.` },
    ...(plan.side_effects_repeated.length > 0
      ? [{ text: `Acts again on other systems: ${list(plan.side_effects_repeated)}.`, style: "yellow" as const }]
      : []),
    ...plan.refused.map(({ step_id: step, reason }): Sentence => ({
      text: `Refused at ${step}: ${reason}`,
      style: "red",
    })),
    ...wrong,
  ];
}

const placeNames: Record<Place, string> = {
  runs: "Runs",
  approvals: "Approvals",
  actions: "Actions",
  workflows: "Graph: choice of a workflow",
  graph: "Graph",
  run: "A run",
  form: "Decision",
  confirm: "Question",
  filter: "Filter",
  help: "Help",
  lost: "While the daemon is lost",
  log: "Log",
};

/** Every key, by where it is pressed, the current screen first: a line is a key and what it does. */
function helpLines(first: Place): { key: string; does: string }[] {
  const everywhere = bindings.filter(({ where }) => where === "all");
  const ordered = [first, ...places.filter((place) => place !== first && place !== "help" && place !== "log")];
  return ordered.flatMap((place) => {
    const own = bindings.filter(({ where }) => where !== "all" && where.includes(place));
    const shown = place === first ? [...own, ...everywhere] : own.filter(({ where }) => where.length < 5);
    if (shown.length === 0) return [];
    return [
      { key: placeNames[place], does: "" },
      ...shown.map(({ shown: key, does }) => ({ key: `  ${key}`, does })),
      { key: "", does: "" },
    ];
  });
}

/** A part of the help, as much as fits. */
export function drawHelp(model: Model, top: number, height: number, theme: Theme): Line[] {
  const width = Math.min(76, model.size.columns - 4);
  const all = helpLines(model.screen);
  const rows = height - 2;
  const from = Math.min(top, Math.max(0, all.length - rows));
  const ascii = (text: string) =>
    theme.isAscii ? text.replace("↑", "up").replace("↓", "down").replace("⏎", "enter") : text;
  const lines = all
    .slice(from, from + rows)
    .map(({ key, does }): Line =>
      does === "" ? lineOf(key, "bold") : [span(ascii(key).padEnd(13), "cyan"), span(does)],
    );
  const rest = all.length - from - rows;
  return drawBox("Keys", lines, width, theme, rest > 0 ? `${rest} more lines · esc closes` : "esc closes");
}

/** Lines to read, such as the last ones of the daemon's log. */
export function drawText(text: LongText, model: Model, height: number, theme: Theme): Line[] {
  const { title, isDiff, lines, top } = text;
  const rows = height - 2;
  const from = Math.min(top, Math.max(0, lines.length - rows));
  const shown = lines.slice(from, from + rows).map((line) => lineOf(line, isDiff ? styleOfChange(line) : undefined));
  const rest = lines.length - from - rows;
  const below = rest > 0 ? `${rest} more lines · esc closes` : "esc closes";
  return drawBox(title, shown, model.size.columns - 4, theme, below);
}

function styleOfChange(line: string): "green" | "red" | undefined {
  if (line.startsWith("+")) return "green";
  return line.startsWith("-") ? "red" : undefined;
}
