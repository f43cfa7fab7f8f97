import { CliError } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { Interrupted } from "./interrupted.ts";

const [ctrlC, ctrlD] = ["\u0003", "\u0004"];

type Question = {
  message: string;
  /** What is typed does not show. */
  isHidden: boolean;
  /** May be left empty. */
  isOptional: boolean;
};

/** Asks the person at the terminal, on stderr. Throws a usage error when the person would rather not say. */
export async function ask({ terminal }: Pick<Context, "terminal">, question: Question): Promise<string> {
  const { isCancel, password, text } = await import("@clack/prompts");
  const { message, isHidden, isOptional } = question;
  const ended = new AbortController();
  const options = {
    message,
    input: terminal.stdin,
    output: terminal.stderr,
    signal: ended.signal,
    validate: (value: string | undefined) => (value || isOptional ? undefined : "This is needed."),
  };
  let isInterrupted = false;
  const listen = (keys: unknown) => {
    if (String(keys).includes(ctrlC)) isInterrupted = true;
    // The prompt would go away without an answer, and the command with it.
    if (String(keys).includes(ctrlD)) ended.abort();
  };
  terminal.stdin.on("data", listen);
  const answer = await (isHidden ? password(options) : text(options)).finally(() => terminal.stdin.off("data", listen));
  if (isCancel(answer)) throw isInterrupted ? new Interrupted() : new CliError("usage", "Nothing was changed.");
  return answer ?? "";
}
