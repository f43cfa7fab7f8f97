import { pino } from "pino";
import type { KnownSecrets } from "../engine/redaction/known-secrets.ts";
import { redactLogText } from "../engine/redaction/redact.ts";
import { prettyLine } from "./pretty-line.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** The daemon's log. The first argument is an error or an object of fields. */
export type Log = Pick<pino.Logger, LogLevel> & {
  /** From here on secrets are hidden by their value too; asked for with every line. */
  hide(known: () => KnownSecrets | null): void;
};

export type LogOptions = {
  format: "json" | "pretty";
  level: LogLevel;
  /** Takes one line with its end; returns when it is written. */
  write(line: string): void;
};

/**
 * A log that writes each line before it goes on, so that a crash loses none. Every text in a line is redacted: keys keep
 * their public prefix alone (spec 2.1), authorization headers nothing.
 */
export function createLog({ format, level, write }: LogOptions): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: hiddenPaths, censor: "[REDACTED]" },
  };
  let known: () => KnownSecrets | null = () => null;
  const logger = pino(options, {
    write(line: string) {
      const secrets = known();
      const fields: unknown = JSON.parse(line, (_, value: unknown) =>
        typeof value === "string" ? redactLogText(value, secrets) : value,
      );
      write(format === "json" ? `${JSON.stringify(fields)}\n` : prettyLine(fields));
    },
  });
  return Object.assign(logger, {
    hide(source: () => KnownSecrets | null) {
      known = source;
    },
  });
}

const hiddenPaths = ["authorization", "headers.authorization", "*.headers.authorization", "secret", "*.secret"];
