import { makePaint, wantsColour, type Paint } from "./colour.ts";
import type { GlobalFlags } from "./globals.ts";
import { safeJson } from "./safe-text.ts";

/** What stdout is for: one document, an object a line, ids, an aligned table, or tab-separated values (cli.md). */
export type Format = "json" | "jsonl" | "ids" | "table" | "tsv";

export type Output = {
  format: Format;
  /** Whether stdout is a terminal. */
  isTerminal: boolean;
  now: Date;
  /** Columns of the terminal. */
  width: number;
  paint: Paint;
  /** Paints tab-separated values, which programs read: where --color always was typed, and nowhere else. */
  paintValue: Paint;
  /** For screen readers: no columns, no drawing; each value behind its name. */
  isAccessible: boolean;
  /** False when signs beyond ASCII may not show. */
  isUnicode: boolean;
  /** Writes whole lines to stdout. Text from outside went through safeText before. */
  print: (...lines: string[]) => void;
  /** Writes a JSON document to stdout: indented for a person, else one line. */
  document: (value: unknown) => void;
  /** Tells a person at a terminal what goes on, on stderr; programs, also those that a person starts, get nothing. */
  note: (line: string) => void;
};

type Streams = Pick<NodeJS.Process, "stdout" | "stderr" | "env">;

export function makeOutput(flags: GlobalFlags, { stdout, stderr, env }: Streams): Output {
  const isTerminal = stdout.isTTY;
  const format = chooseFormat(flags, isTerminal);
  const isAccessible = flags.accessible || Boolean(env["STEPGATE_ACCESSIBLE"]);
  const hasNotes = stderr.isTTY && !flags.quiet && !flags.json && !flags.jsonl;
  const paintNote = makePaint(wantsColour(flags.color ?? "auto", env, stderr.isTTY));
  return {
    format,
    isTerminal,
    get now() {
      return new Date();
    },
    width: isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
    paint: makePaint(wantsColour(flags.color ?? "auto", env, isTerminal)),
    paintValue: makePaint(flags.color === "always"),
    isAccessible,
    isUnicode: !isAccessible && !flags.ascii && !env["STEPGATE_ASCII"] && isUtf8(env),
    print(...lines) {
      if (lines.length > 0) stdout.write(`${lines.join("\n")}\n`);
    },
    document(value) {
      stdout.write(`${safeJson(value, isTerminal && format !== "jsonl" ? 2 : undefined)}\n`);
    },
    note(line) {
      if (hasNotes) stderr.write(`${paintNote("dim", line)}\n`);
    },
  };
}

function chooseFormat(flags: GlobalFlags, isTerminal: boolean): Format {
  if (flags.json) return "json";
  if (flags.jsonl) return "jsonl";
  if (flags.quiet) return "ids";
  return isTerminal ? "table" : "tsv";
}

function isUtf8(env: NodeJS.ProcessEnv): boolean {
  return /utf-?8/i.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "");
}
