import { type Command, type CommandGroup, optionName } from "./command.ts";
import { globalOptions } from "./globals.ts";
import type { Option } from "./option.ts";

/** Loads the file of one command. */
export type LoadCommand = () => Promise<Command>;

type GroupOfLoads = Omit<CommandGroup, "name" | "commands"> & { commands: Readonly<Record<string, LoadCommand>> };

/** Every command by its name, none of them loaded; groups lead to theirs. The order is that of the help. */
export type CommandTree = Readonly<Record<string, LoadCommand | GroupOfLoads>>;

/** Loads every command there is: for help, completion, documentation, and names that are none. */
export async function loadCommands(tree: CommandTree): Promise<(Command | CommandGroup)[]> {
  return Promise.all(Object.entries(tree).map(async ([name, node]) => loadEntry(name, node)));
}

/**
 * Loads the one command that a command line names: the others would be most of the time that it takes to start. Loads
 * all of them where commander may want to speak of others: a noun without its verb, a wrong name, help before a name.
 */
export async function loadNamed(tree: CommandTree, argv: readonly string[]): Promise<(Command | CommandGroup)[]> {
  const first = findWord(argv, 0);
  const name = nameOf(tree, argv[first]);
  const node = name === null ? undefined : tree[name];
  if (name === null || node === undefined) return loadCommands(tree);
  if (typeof node === "function") return [await node()];
  const verb = argv[findWord(argv, first + 1)];
  if (verb === undefined || !Object.hasOwn(node.commands, verb)) return loadCommands(tree);
  return [await loadEntry(name, node, verb)];
}

/** The key under which the tree has what is called so. */
export function nameOf(tree: CommandTree, word: string | undefined): string | null {
  if (word === undefined) return null;
  if (Object.hasOwn(tree, word)) return word;
  const found = Object.entries(tree).find(([, node]) => typeof node !== "function" && node.alias === word);
  return found ? found[0] : null;
}

/** A group with all of its commands, or with one. */
async function loadEntry(
  name: string,
  node: LoadCommand | GroupOfLoads,
  verb?: string,
): Promise<Command | CommandGroup> {
  if (typeof node === "function") return node();
  const loads = Object.entries(node.commands).filter(([one]) => verb === undefined || one === verb);
  const commands = await Promise.all(loads.map(async ([, load]) => load()));
  return { ...node, name, commands };
}

const globals: ReadonlyMap<string, Option<unknown>> = new Map(
  Object.entries<Option<unknown>>(globalOptions).flatMap(([key, option]) => [
    [`--${optionName(key)}`, option],
    ...(option.short ? [[option.short, option] as const] : []),
  ]),
);

/** Where the first word from `start` on stands that is no option of every command; -1 behind any other option. */
function findWord(argv: readonly string[], start: number): number {
  for (let at = start; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (!word.startsWith("-")) return at;
    const [name = "", text] = word.split("=", 2);
    const option = globals.get(name);
    if (!option) return -1;
    if (option.placeholder && text === undefined) at += 1;
  }
  return -1;
}
