import { RootCommand, type Command as TabCommand } from "@bomb.sh/tab";
import { type Command, type CommandGroup, optionName } from "../command.ts";
import { globalOptions } from "../globals.ts";
import type { Argument, Option } from "../option.ts";
import { safeText } from "../safe-text.ts";
import { captured } from "./captured.ts";
import { type Candidate, type Source, files, sourceOf } from "./sources.ts";

/** Nobody waits longer for a key press. */
const patienceMs = 800;

const longestDescription = 60;

/** To the shell: nothing else fits here, or files do. */
const noFiles = ":4";
const filesToo = ":0";

type Entry = Command | CommandGroup;
type Read = (source: Source) => Promise<Candidate[]>;

/**
 * The lines with which a shell's script is answered: each a word that could stand at the cursor and what it is, then what
 * the shell is to do about files. The last of `words` is the one at the cursor, empty behind a space.
 */
export async function complete(entries: readonly Entry[], words: readonly string[], read: Read): Promise<string[]> {
  const named = replaceAliases(entries, words);
  // Asked twice: the handlers answer at once, and only after the first time is it known which values are wanted.
  let wanted: Source | null = null;
  answer(entries, named, (source) => {
    wanted = source;
    return [];
  });
  const values = wanted === null ? [] : await readInTime(wanted, read);
  const lines = answer(entries, named, () => values);
  return [...lines.slice(0, -1), wanted === files ? filesToo : noFiles];
}

function answer(
  entries: readonly Entry[],
  words: readonly string[],
  valuesOf: (source: Source) => Candidate[],
): string[] {
  const root = buildRoot(entries, valuesOf);
  return captured(() => root.parse([...words]));
}

async function readInTime(source: Source, read: Read): Promise<Candidate[]> {
  const late = new Promise<Candidate[]>((resolve) => {
    setTimeout(() => resolve([]), patienceMs).unref();
  });
  const found = await Promise.race([read(source).catch(() => []), late]);
  return found
    .filter(({ value }) => isPlain(value))
    .map(({ value, description }) => ({
      value,
      description: safeText(description).slice(0, longestDescription),
    }));
}

/** Bash expands what it is offered: a name that somebody chose must not become a command. */
function isPlain(value: string): boolean {
  return /^[\w.:@+,/-]+$/.test(value) && !value.startsWith("-");
}

/** `action show` is `actions show`. */
function replaceAliases(entries: readonly Entry[], words: readonly string[]): string[] {
  const at = words.findIndex((word) => !word.startsWith("-"));
  const group = entries.find((entry) => "commands" in entry && entry.alias !== undefined && entry.alias === words[at]);
  const isTyping = at === words.length - 1;
  return words.map((word, index) => (group && index === at && !isTyping ? group.name : word));
}

function buildRoot(entries: readonly Entry[], valuesOf: (source: Source) => Candidate[]): RootCommand {
  const root = new RootCommand();
  addOptions(root, "", globalOptions, valuesOf);
  for (const entry of entries) {
    const command = root.command(entry.name, entry.summary);
    if ("commands" in entry) {
      addOptions(command, entry.name, globalOptions, valuesOf);
      for (const inner of entry.commands) addCommand(root, `${entry.name} ${inner.name}`, inner, valuesOf);
    } else addCommand(root, entry.name, entry, valuesOf);
  }
  const help = root.command("help", "print help for a command or a topic");
  help.argument("topic", handlerOf(sourceOf("help", "topic"), [], valuesOf), true);
  return root;
}

function addCommand(
  root: RootCommand,
  path: string,
  command: Command,
  valuesOf: (source: Source) => Candidate[],
): void {
  const own = root.command(path, command.summary);
  for (const [key, argument] of Object.entries(command.arguments)) {
    const { kind, choices = [] }: Argument<unknown> = argument;
    own.argument(key, handlerOf(sourceOf(path, key), choices, valuesOf), kind === "optionalRest");
  }
  addOptions(own, path, command.options, valuesOf);
  addOptions(own, path, globalOptions, valuesOf);
}

function addOptions(
  command: TabCommand,
  path: string,
  options: Readonly<Record<string, Option<unknown>>>,
  valuesOf: (source: Source) => Candidate[],
): void {
  for (const [key, { summary, short, placeholder, choices = [] }] of Object.entries(options)) {
    const alias = short?.slice(1);
    if (placeholder === undefined) command.option(optionName(key), summary, alias);
    else command.option(optionName(key), summary, handlerOf(sourceOf(path, key), choices, valuesOf), alias);
  }
}

type Handler = (offer: (value: string, description: string) => void) => void;

function handlerOf(
  source: Source | undefined,
  choices: readonly string[],
  valuesOf: (source: Source) => Candidate[],
): Handler {
  return (offer) => {
    for (const choice of choices) offer(choice, "");
    if (choices.length > 0 || source === undefined) return;
    for (const { value, description } of valuesOf(source)) offer(value, description);
  };
}
