import { setTimeout as sleep } from "node:timers/promises";
import { defineCommand } from "../command.ts";
import { type LogLine, parseLine, readFrom } from "../daemon/log-lines.ts";
import { flag, oneOf, value, wholeNumber } from "../option.ts";
import type { Output } from "../output.ts";
import { parseMoment } from "../parse-duration.ts";
import { safeText } from "../safe-text.ts";

const pollMs = 250;

const levels = ["debug", "info", "warn", "error"] as const;

export const logs = defineCommand({
  name: "logs",
  summary: "read the log of the daemon in the background",
  options: {
    follow: flag("go on with what is written from now on, until Ctrl-C", "-f"),
    lines: value("COUNT", "how many of the last lines (200)", { parse: wholeNumber(0), short: "-n" }),
    since: value("WHEN", "only lines after this time: 10m, 2h, or a date-time", {
      parse: (text) => parseMoment(text, new Date(), "ago"),
    }),
    level: value("LEVEL", "only lines as severe as this: debug, info, warn or error", { parse: oneOf(...levels) }),
  },
  examples: ["logs", "logs -f --level warn", "logs --since 1h --jsonl"],
  async action({ wiring, terminal, output, signal }, { follow, lines = 200, since, level = "debug" }) {
    const { logFile } = await wiring.resolveHome(terminal.env);
    const isWanted = (line: LogLine) =>
      levels.indexOf(level) <=
        Math.max(
          0,
          levels.findIndex((name) => name === line.level),
        ) &&
      (since === undefined || line.time === null || new Date(line.time) >= since);
    const first = await readFrom(logFile, null);
    const wanted = first.lines.map(parseLine).filter(isWanted);
    if (wanted.length === 0) output.note(`Nothing in ${logFile}`);
    print(output, lines === 0 ? [] : wanted.slice(-lines));
    if (!follow) return;
    for (let { next } = first; !signal.aborted;) {
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      const more = await readFrom(logFile, next);
      next = more.next;
      print(output, more.lines.map(parseLine).filter(isWanted));
    }
  },
});

/** As it was written for programs, readable for people. */
function print(output: Output, lines: readonly LogLine[]): void {
  if (output.format !== "table") return output.print(...lines.map(({ text }) => safeText(text)));
  output.print(...lines.map((line) => readable(output, line)));
}

const styles = { error: "red", warn: "yellow", debug: "dim" } as const;

function readable({ paint }: Output, { time, level, msg, text }: LogLine): string {
  const style = level in styles ? styles[level as keyof typeof styles] : undefined;
  const word = level.toUpperCase().padEnd(5);
  const shown = style ? paint(style, word) : word;
  return `${paint("dim", time === null ? "" : time.slice(0, 23).replace("T", " "))} ${shown} ${safeText(msg)}${rest(text)}`;
}

/** The other fields of a line, in the order in which they were written. */
function rest(text: string): string {
  try {
    const { time: _time, level: _level, msg: _msg, err, ...fields } = JSON.parse(text) as Record<string, unknown>;
    const reason = err && typeof err === "object" && "message" in err ? { error: err.message } : {};
    const shown = Object.entries({ ...fields, ...reason }).map(
      ([name, field]) => ` ${name}=${typeof field === "string" ? field : JSON.stringify(field)}`,
    );
    return safeText(shown.join(""));
  } catch {
    return "";
  }
}
