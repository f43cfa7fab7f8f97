import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { renderCliDocs } from "../../scripts/render-cli-docs.ts";
import { renderConfigurationDocs } from "../../scripts/render-configuration-docs.ts";
import { commandTree } from "../../src/cli/commands/index.ts";
import { helpTopics } from "../../src/cli/help-topics.ts";
import { loadCommands } from "../../src/cli/load-commands.ts";
import { atTerminal } from "../support/command-line.ts";

const commands = await loadCommands(commandTree);

const all = commands.flatMap((entry) =>
  "commands" in entry ? [[entry.name], ...entry.commands.map(({ name }) => [entry.name, name])] : [[entry.name]],
);
const leaves = all.filter(
  (words) => words.length > 1 || !commands.some((one) => "commands" in one && one.name === words[0]),
);

it.each(all.map((words) => [words.join(" "), words] as const))("the help of %s fits 100 columns", async (_, words) => {
  const { code, stdout } = await atTerminal("", [...words, "--help"], { columns: 100 });
  expect(code).toBe(0);
  expect(stdout.split("\n").filter((line) => line.length > 100 && !line.startsWith("  $ "))).toEqual([]);
});

it.each(leaves.map((words) => [words.join(" "), words] as const))(
  "the help of %s has examples of it",
  async (name, words) => {
    const { stdout } = await atTerminal("", [...words, "--help"], { columns: 100 });
    const examples = stdout.split("\n").filter((line) => line.startsWith("  $ stepgate "));
    expect(examples.length).toBeGreaterThan(0);
    expect(examples[0]).toContain(`$ stepgate ${name}`);
  },
);

it("topics fit 100 columns, too", () => {
  const lines = [...helpTopics.values()].flatMap((text) => text.split("\n"));
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});

it("docs/command-line.md and docs/configuration.md are what scripts/write-cli-docs.ts writes", () => {
  const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
  expect(read("command-line.md")).toBe(renderCliDocs(commands));
  expect(read("configuration.md")).toBe(renderConfigurationDocs());
});

it("a noun without its verb prints its help, and to a program says what is missing", async () => {
  const person = await atTerminal("", ["runs"]);
  expect([person.code, person.stderr.includes("Usage: stepgate runs")]).toEqual([2, true]);
  const program = await atTerminal("", ["runs", "--json"]);
  expect([program.code, program.stdout]).toEqual([2, ""]);
  expect(JSON.parse(program.stderr)).toEqual({
    error: "stepgate runs needs a command.",
    code: "USAGE",
    http_status: null,
    retry_after_s: null,
    details: [],
    hint: "see: stepgate runs --help",
    exit_code: 2,
  });
});
