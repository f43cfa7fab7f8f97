import { optionName, type Command, type CommandGroup } from "../src/cli/command.ts";
import { exitCodes, signalExitCodes } from "../src/cli/exit-codes.ts";
import { globalOptions } from "../src/cli/globals.ts";
import { environmentVariables } from "../src/cli/help-topics.ts";
import type { Argument, Option } from "../src/cli/option.ts";

type Entry = Command | CommandGroup;

/** docs/command-line.md: every command with its options, as the help has them. */
export function renderCliDocs(entries: readonly Entry[]): string {
  return `${[
    intro,
    "## Commands",
    commandTable(entries),
    "## Options of every command",
    optionTable(Object.entries(globalOptions)),
    "## Exit codes",
    exitTable(),
    "## Environment",
    variableTable(),
    "Every setting has a variable, too: [configuration.md](configuration.md).",
    "## Options",
    ...entries.flatMap(describeEntry),
  ].join("\n\n")}\n`;
}

const intro = `# The command line

<!-- Written by scripts/write-cli-docs.ts; change the commands in src/cli/commands. -->

\`stepgate COMMAND --help\` shows a command with its options and examples; \`stepgate help exit-codes\` and
\`stepgate help environment\` print the tables below.

| Output | stdout | stderr |
| --- | --- | --- |
| at a terminal | an aligned table, colours, times as one says them | progress and hints |
| in a pipe | values between tabs, no header, nothing cut, ISO times | nothing, but errors |
| \`--json\` | one JSON document | an error as one JSON object |
| \`--jsonl\` | one object a line | the same |
| \`-q\` | ids, one a line | errors |

Columns may change between releases; JSON only grows. The daemon of this machine is reached over its control socket, without a
key; with \`--url\`, \`STEPGATE_URL\` or a profile, what the runtime API serves works against any other, with a key from
\`--key-file\`, \`STEPGATE_API_KEY\`, \`STEPGATE_API_KEY_FILE\` or the profile, never from an argument:

\`\`\`sh
stepgate run hello -i name=Ada --wait --url https://stepgate.example --key-file ci.key
stepgate publish workflows/ --profile ci   # callable workflows, through the workflow tools of MCP
\`\`\`

A new project: \`stepgate init demo && cd demo && stepgate dev\`. It publishes as files change and shows every run.
Completion for bash, zsh and fish: \`stepgate completion zsh --install\`.`;

function commandTable(entries: readonly Entry[]): string {
  const rows = entries.flatMap((entry) =>
    "commands" in entry
      ? entry.commands.map((command) => row(code(`${entry.name} ${usage(command)}`), command.summary))
      : [row(code(usage(entry)), entry.summary)],
  );
  return table(["Command", "What it does"], rows);
}

function usage({ name, arguments: args }: Command): string {
  return [name, ...Object.entries(args).map(([key, argument]) => placeholder(key, argument))].join(" ");
}

function placeholder(key: string, { kind }: Argument<unknown>): string {
  const name = kind === "optionalRest" ? `${key}...` : key;
  return kind === "optional" || kind === "optionalRest" ? `[${name}]` : `<${name}>`;
}

function describeEntry(entry: Entry): string[] {
  return "commands" in entry ? entry.commands.flatMap((command) => describe(entry, command)) : describe(null, entry);
}

function describe(group: CommandGroup | null, command: Command): string[] {
  const options = Object.entries(command.options);
  const args = Object.entries(command.arguments);
  if (options.length + args.length === 0) return [];
  const rows = [
    ...args.map(([key, argument]) => row(code(placeholder(key, argument)), argument.summary)),
    ...options.map(([key, option]) => row(code(flagOf(key, option)), option.summary)),
  ];
  const examples = command.examples.map((example) => `stepgate ${example}`).join("\n");
  return [
    `### ${group ? `${group.name} ` : ""}${command.name}`,
    table(["", "Meaning"], rows),
    ...(examples ? [`\`\`\`sh\n${examples}\n\`\`\``] : []),
  ];
}

function optionTable(options: readonly (readonly [string, Option<unknown>])[]): string {
  return table(
    ["Option", "Meaning"],
    options.map(([key, option]) => row(code(flagOf(key, option)), option.summary)),
  );
}

function flagOf(key: string, { short, placeholder: value }: Option<unknown>): string {
  return `${short ? `${short}, ` : ""}--${optionName(key)}${value ? ` ${value}` : ""}`;
}

function exitTable(): string {
  const rows = [...Object.values(exitCodes), ...signalExitCodes].map(([number, meaning]) =>
    row(String(number), meaning),
  );
  return table(["Code", "Meaning"], rows);
}

function variableTable(): string {
  const rows = environmentVariables.map(([names, meaning]) => row(names.split(", ").map(code).join(", "), meaning));
  return table(["Variable", "Meaning"], rows);
}

function table(header: readonly string[], rows: readonly string[]): string {
  return [`| ${header.join(" | ")} |`, `| ${header.map(() => "---").join(" | ")} |`, ...rows].join("\n");
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
