import { CliError } from "./cli-error.ts";
import type { Context } from "./context.ts";

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
  const options = {
    message,
    input: terminal.stdin,
    output: terminal.stderr,
    validate: (value: string | undefined) => (value || isOptional ? undefined : "This is needed."),
  };
  const answer = await (isHidden ? password(options) : text(options));
  if (isCancel(answer)) throw new CliError("usage", "Nothing was changed.");
  return answer ?? "";
}
