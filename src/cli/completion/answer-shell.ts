import { readInputs } from "../command.ts";
import { type Terminal, makeContext } from "../context.ts";
import { globalOptions } from "../globals.ts";
import { makeOutput } from "../output.ts";
import type { Wiring } from "../wiring.ts";
import { complete } from "./complete.ts";
import type { Command, CommandGroup } from "../command.ts";

/**
 * Answers a shell's script, which sends the words that are being typed. Whatever is wrong, no word of it is said: it
 * would land in the middle of a line.
 */
export async function answerShell(
  entries: readonly (Command | CommandGroup)[],
  words: readonly string[],
  { wiring, terminal }: { wiring: Wiring; terminal: Terminal },
): Promise<void> {
  const flags = readInputs(globalOptions, targetTexts(words));
  const quiet = { ...terminal, stderr: { ...terminal.stderr, isTTY: false } } as Terminal;
  const output = makeOutput(flags, quiet);
  const open = new AbortController();
  const context = makeContext({ wiring, flags, terminal: quiet, output, signal: open.signal });
  const lines = await complete(entries, words, async (source) => source(context)).catch(() => []);
  open.abort();
  terminal.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

const targetOptions = { url: "--url", keyFile: "--key-file", profile: "--profile", workspace: "--workspace" } as const;

/** Which daemon the words that were typed so far are for. */
function targetTexts(words: readonly string[]): Map<string, readonly string[]> {
  const found = Object.entries(targetOptions).flatMap(([key, name]) => {
    const at = words.lastIndexOf(name, -2);
    const joined = words.slice(0, -1).findLast((word) => word.startsWith(`${name}=`));
    const text = at >= 0 && at < words.length - 2 ? words[at + 1] : joined?.slice(name.length + 1);
    return text ? [[key, [text]] as const] : [];
  });
  return new Map(found);
}
