import { setTimeout as sleep } from "node:timers/promises";
import { defineCommand } from "../command.ts";
import { type LogLine, parseLine, readOn, readWanted } from "../daemon/log-lines.ts";
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
    lines: value("COUNT", "how many of the last lines (200; with --since all of them)", {
      parse: wholeNumber(0),
      short: "-n",
    }),
    since: value("WHEN", "only lines after this time: 10m, 2h, or a date-time", {
      parse: (text) => parseMoment(text, new Date(), "ago"),
    }),
    level: value("LEVEL", "only lines as severe as this: debug, info, warn or error", { parse: oneOf(...levels) }),
  },
  examples: ["logs", "logs -f --level warn", "logs --since 1h --jsonl"],
  async action({ wiring, terminal, output, signal }, { follow, lines, since, level = "debug" }) {
    const { logFile } = await wiring.resolveHome(terminal.env);
    const isWanted = (line: LogLine) =>
      severity(line) >= levels.indexOf(level) &&
      (since === undefined || (line.time !== null && new Date(line.time) >= since));
    const count = lines ?? (since === undefined ? 200 : Number.POSITIVE_INFINITY);
    const first = await readWanted(logFile, count, isWanted);
    if (first.lines.length === 0 && count > 0) output.note(`Nothing in ${logFile}`);
    if (output.format === "json" && !follow) return output.document({ lines: first.lines.map(({ fields }) => fields) });
    print(output, first.lines);
    if (!follow) return;
    for (let { place } = first; !signal.aborted;) {
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      const more = await readOn(logFile, place);
      ({ place } = more);
      print(output, more.lines.map(parseLine).filter(isWanted));
    }
  },
});

/** What names no level that there is counts as an error: it was not written by the log. */
function severity({ level }: LogLine): number {
  const at = levels.findIndex((name) => name === level);
  return at === -1 ? levels.length - 1 : at;
}

/** One JSON object a line for programs, readable for people. */
function print(output: Output, lines: readonly LogLine[]): void {
  if (output.format === "table" || output.format === "tsv")
    output.print(...lines.map((line) => readable(output, line)));
  else for (const { fields } of lines) output.document(fields);
}

const styles = { error: "red", warn: "yellow", debug: "dim" } as const;

function readable({ paint }: Output, line: LogLine): string {
  const { time, level, msg } = line;
  const style = Object.hasOwn(styles, level) ? styles[level as keyof typeof styles] : undefined;
  const word = safeText(level.toUpperCase()).padEnd(5);
  const at = time === null ? "" : `${paint("dim", safeText(time.slice(0, 23).replace("T", " ")))} `;
  return `${at}${style ? paint(style, word) : word} ${safeText(msg)}${rest(line)}`;
}

/** The other fields of a line, in the order in which they were written. */
function rest({ fields }: LogLine): string {
  const { time: _time, level: _level, msg: _msg, err, ...others } = fields;
  const reason = err && typeof err === "object" && "message" in err ? { error: err.message } : {};
  const shown = Object.entries({ ...others, ...reason }).map(
    ([name, field]) => ` ${name}=${typeof field === "string" ? field : JSON.stringify(field)}`,
  );
  return safeText(shown.join(""));
}
