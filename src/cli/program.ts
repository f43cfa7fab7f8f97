import { Command as Commander, type CommanderError, Option as CommanderOption } from "commander";
import { CliError } from "./cli-error.ts";
import { optionName, readInputs, type Command, type CommandGroup, type RawInput } from "./command.ts";
import { globalOptions, type GlobalFlags } from "./globals.ts";
import type { Argument, Option, Options } from "./option.ts";

type ProgramParts = {
  version: string;
  entries: readonly (Command | CommandGroup)[];
  /** Called with the command that was asked for. */
  run: (command: Command, flags: GlobalFlags, raw: RawInput) => Promise<void>;
  writeOut: (text: string) => void;
  writeErr: (text: string) => void;
};

/**
 * Commander's program made of commands as data. Parsing throws a CommanderError instead of printing and ending.
 * Global options stand before and after a command's name alike (cli.md, measured fact 10).
 */
export function buildProgram({ version, entries, run, writeOut, writeErr }: ProgramParts): Commander {
  const program = new Commander("stepgate")
    .description("Runs workflows for AI agents, on your own machine.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ subcommandTerm: showUsage })
    .configureOutput({ writeOut, writeErr, outputError: () => undefined })
    .addHelpText("after", "\nSee also: stepgate help exit-codes, stepgate help environment");
  addOptions(program, globalOptions);
  for (const entry of entries) {
    if ("commands" in entry) addGroup(program, entry, run);
    else addCommand(program, entry, run);
  }
  return program;
}

/** A command in a list of commands: commander's own words without the "[options]" that every one has. */
function showUsage(command: Commander): string {
  return command.commands.length > 0
    ? command.name()
    : `${command.name()} ${command.usage()}`.replace(" [options]", "");
}

function addGroup(
  program: Commander,
  { name, alias, summary, commands }: CommandGroup,
  run: ProgramParts["run"],
): void {
  const group = program.command(name).description(summary).helpCommand(false).exitOverride(refuseUsage(name));
  if (alias) group.alias(alias);
  addOptions(group, globalOptions, { isHidden: true });
  for (const command of commands) addCommand(group, command, run);
}

function addCommand(parent: Commander, command: Command, run: ProgramParts["run"]): void {
  const path = parent.parent ? `${parent.name()} ${command.name}` : command.name;
  const own = parent.command(command.name).description(command.summary).exitOverride(refuseUsage(path));
  for (const [key, argument] of Object.entries(command.arguments)) {
    own.argument(placeholderOf(key, argument), argument.summary);
  }
  addOptions(own, command.options);
  addOptions(own, globalOptions, { isHidden: true });
  const examples = command.examples.map((example) => `\n  $ stepgate ${example}`).join("");
  own.addHelpText("after", `${examples && `\nExamples:${examples}\n`}\nOptions of every command: stepgate --help`);
  own.action(async () => {
    const given = own.optsWithGlobals<Record<string, unknown>>();
    const flags = readInputs(globalOptions, textsOf(globalOptions, given));
    await run(command, flags, new Map([...textsOf(command.options, given), ...argumentTexts(command, own)]));
  });
}

/** What commander makes of a wrong command line, with the help of the very command; printed help passes through. */
function refuseUsage(path: string): (error: CommanderError) => never {
  return (error) => {
    if (error.exitCode === 0 || error.code === "commander.help") throw error;
    throw new CliError("usage", usageMessage(error), { hint: `see: stepgate ${path} --help` });
  };
}

/** Commander's words without its prefix. */
export function usageMessage({ message }: CommanderError): string {
  return message.replace(/^error: /, "");
}

function placeholderOf(key: string, { kind }: Argument<unknown>): string {
  const name = kind === "optionalRest" ? `${key}...` : key;
  return kind === "optional" || kind === "optionalRest" ? `[${name}]` : `<${name}>`;
}

function addOptions(command: Commander, options: Options, { isHidden = false } = {}): void {
  for (const [key, option] of Object.entries(options)) {
    command.addOption(toCommander(key, option).hideHelp(isHidden));
  }
}

/** Commander collects the texts; reading them is the option's own business. */
function toCommander(key: string, { short, placeholder, summary }: Option<unknown>): CommanderOption {
  const long = `--${optionName(key)}${placeholder ? ` <${placeholder}>` : ""}`;
  const option = new CommanderOption(short ? `${short}, ${long}` : long, summary);
  // To commander --no-input is the opposite of an option --input, which run has and means something else by.
  option.negate = false;
  if (placeholder) option.argParser((text: string, before?: string[]) => [...(before ?? []), text]);
  return option;
}

function textsOf(options: Options, given: Readonly<Record<string, unknown>>): Map<string, readonly string[]> {
  return new Map(
    Object.keys(options).flatMap((key) => {
      const texts = given[key];
      if (texts === undefined) return [];
      return [[key, Array.isArray(texts) ? texts.map(String) : [""]] as const];
    }),
  );
}

function argumentTexts(command: Command, { processedArgs }: Commander): Map<string, readonly string[]> {
  return new Map(
    Object.keys(command.arguments).map((key, index) => {
      const given: unknown = processedArgs[index] ?? [];
      return [key, Array.isArray(given) ? given.map(String) : [String(given)]] as const;
    }),
  );
}
