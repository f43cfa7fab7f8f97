import { CliError } from "./cli-error.ts";
import { parseInputObject } from "./parse-input.ts";
import { readSource } from "./read-input.ts";

/**
 * A secret from a file after @, or from stdin for -; the end of its last line is no part of it. `what` names it. Anything
 * else is a usage error: what stands on the command line is in the list of processes and in the shell's history.
 */
export async function readSecretText(what: string, source: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (source !== "-" && !source.startsWith("@")) {
    const message = `${what} can't stand on the command line, where the list of processes and the shell's history show it.`;
    throw new CliError("usage", message, { hint: "give @FILE, or - for stdin, or leave it out and be asked" });
  }
  const secret = (await readSource(source, stdin)).replace(/\r?\n$/, "");
  if (secret === "") throw new CliError("usage", `${what} is empty.`);
  return secret;
}

/** The JSON object of `--secrets`: each member a text. What is wrong with it is told without it. */
export async function readSecretFields(source: string, stdin: NodeJS.ReadableStream): Promise<Record<string, string>> {
  const text = await readSecretText("--secrets", source, stdin);
  const entries = Object.entries(parseObject(text));
  const wrong = entries.find(([, value]) => typeof value !== "string");
  if (wrong) throw new CliError("usage", `--secrets: the member ${wrong[0].slice(0, 100)} must be a text.`);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return parseInputObject(text);
  } catch {
    // The reason would quote the text.
    throw new CliError("usage", '--secrets must be a JSON object such as {"token": "…"}.');
  }
}
