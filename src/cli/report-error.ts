import { CommanderError } from "commander";
import { ApiError } from "../contract/errors.ts";
import { CliError } from "./cli-error.ts";
import { type ColourChoice, makePaint, wantsColour } from "./colour.ts";
import type { Terminal } from "./context.ts";
import { exitOfAnswer } from "./exit-codes.ts";
import { usageMessage } from "./program.ts";
import { safeJson, safeLines, safeText } from "./safe-text.ts";

type Settings = { isJson: boolean; isVerbose: boolean; color: ColourChoice; terminal: Terminal };

/** Words any error on stderr, in one place, and gives the exit code (cli.md). */
export function reportError(error: unknown, { isJson, isVerbose, color, terminal }: Settings): number {
  const { stderr, env } = terminal;
  const known = toCliError(error);
  if (isJson) {
    stderr.write(`${safeJson(known)}\n`);
    return known.exitCode;
  }
  const paint = makePaint(wantsColour(color, env, stderr.isTTY));
  const { details = [], hint } = known.extra;
  const lines = [
    `${paint("red", "stepgate:")} ${safeLines(known.message)}`,
    ...details.filter((detail) => !isSaid(detail, known.message)).map((detail) => `  ${showDetail(detail)}`),
    ...(hint ? [paint("dim", `  ${safeLines(hint)}`)] : []),
    ...(isVerbose && error instanceof Error && known !== error ? [safeLines(error.stack ?? "")] : []),
  ];
  stderr.write(`${lines.join("\n")}\n`);
  return known.exitCode;
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) {
    return new CliError("usage", usageMessage(error), { hint: "see: stepgate --help" });
  }
  // A daemon that refuses to start in this process speaks as it would over HTTP.
  if (error instanceof ApiError) {
    const { message, code, details } = error;
    return new CliError(exitOfAnswer(error.status, code), message, { code, details });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CliError("failure", message, { hint: "more with --verbose" });
}

/** Whether the message has the words of a detail already. */
function isSaid(detail: unknown, message: string): boolean {
  if (typeof detail !== "object" || detail === null || !("message" in detail)) return false;
  return message.includes(String(detail.message));
}

/** `amount: must be a number` for a problem of an input, else the detail as JSON. */
function showDetail(detail: unknown): string {
  if (typeof detail === "object" && detail !== null && "field" in detail && "message" in detail) {
    return `${safeText(String(detail.field))}: ${safeText(String(detail.message))}`;
  }
  return typeof detail === "string" ? safeText(detail) : safeJson(detail);
}
