import { expect, it } from "vitest";
import type { Command, CommandGroup } from "./command.ts";
import { commandTree } from "./commands/index.ts";
import { loadCommands, loadNamed } from "./load-commands.ts";
import { buildProgram } from "./program.ts";

const all = await loadCommands(commandTree);
const pathsOf = (entries: readonly (Command | CommandGroup)[]): string[] =>
  entries.flatMap((entry) =>
    "commands" in entry ? entry.commands.map(({ name }) => `${entry.name} ${name}`) : [entry.name],
  );
const paths = pathsOf(all);

/** What commander makes of command lines: the command with what was given to it, a text, or its refusal. */
function parserOf(entries: readonly (Command | CommandGroup)[]): (argv: readonly string[]) => Promise<unknown[]> {
  let told: unknown[] = [];
  const write = (text: string) => void told.push(text);
  const run = async (...asked: unknown[]) => void told.push(...asked);
  const program = buildProgram({ version: "1", entries, run, writeOut: write, writeErr: write });
  return async (argv) => {
    told = [];
    await program.parseAsync([...argv], { from: "user" }).catch((error: Error) => told.push(error.message));
    return told;
  };
}
const parseAmongAll = parserOf(all);

it("each command has the name under which it is found", () => {
  const found = Object.entries(commandTree).flatMap(([name, node]) =>
    typeof node === "function" ? [name] : Object.keys(node.commands).map((verb) => `${name} ${verb}`),
  );
  expect(paths).toEqual(found);
});

it.each(paths)(
  "%s is loaded alone wherever options of every command stand, and understood as among all",
  async (path) => {
    const words = path.split(" ");
    const [noun = "", ...verb] = words;
    for (const argv of [
      [...words, "a", "b"],
      [...words, "--help"],
      [...words, "--nope"],
      ["--json", "--url", "runs", "-q", ...words],
      ["--profile=keys", noun, "--workspace", "list", "-v", ...verb, "--url", "--json", "x"],
    ]) {
      const named = await loadNamed(commandTree, argv);
      expect([argv, pathsOf(named)]).toEqual([argv, [path]]);
      expect(await parserOf(named)(argv)).toEqual(await parseAmongAll(argv));
    }
  },
);

it("a group is found by its other name", async () => {
  expect(pathsOf(await loadNamed(commandTree, ["key", "list"]))).toEqual(["keys list"]);
});

it.each([
  [[]],
  [["--help"]],
  [["-h", "runs", "list"]],
  [["runs"]],
  [["runs", "--help"]],
  [["runs", "-h", "list"]],
  [["runs", "lst"]],
  [["rnu", "list"]],
  [["toString"]],
  [["runs", "constructor"]],
  [["--nope", "runs", "list"]],
  [["-vq", "runs", "list"]],
  [["--url"]],
  [["--", "runs", "list"]],
  [[""]],
])("%j brings all commands, so that any of them can be told of", async (argv) => {
  expect(pathsOf(await loadNamed(commandTree, argv))).toEqual(paths);
});
