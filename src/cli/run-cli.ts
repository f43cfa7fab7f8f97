import { CommanderError } from "commander";
import { commandTree } from "./commands/index.ts";
import { daemonIsDown } from "./answer-error.ts";
import { CliError } from "./cli-error.ts";
import type { Command, RawInput } from "./command.ts";
import type { ColourChoice } from "./colour.ts";
import { canAsk, type Context, makeContext, type Terminal } from "./context.ts";
import { mayStartDaemon, offerStart } from "./daemon/offer-start.ts";
import { type ExitName, exitCodes } from "./exit-codes.ts";
import { helpTopics } from "./help-topics.ts";
import { loadCommands, loadNamed, nameOf } from "./load-commands.ts";
import { makeOutput } from "./output.ts";
import { buildProgram } from "./program.ts";
import { reportError } from "./report-error.ts";
import type { Wiring } from "./wiring.ts";

/**
 * Runs one command line and resolves to the exit code; never ends the process, so that pipes get all of the output
 * (cli.md, measured fact 9). When the reader of stdout goes away (`| head -1`), the command ends with 0 and no word.
 */
export async function runCli(argv: readonly string[], wiring: Wiring, terminal: Terminal): Promise<number> {
  const { stdout, stderr } = terminal;
  const readerGone = new AbortController();
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      readerGone.abort();
    });
  }

  let exit: number = exitCodes.ok[0];
  const runCommand = async (options: readonly string[]) => {
    const program = buildProgram({
      version: wiring.version,
      entries: await loadNamed(commandTree, options),
      writeOut: (text) => void stdout.write(text),
      // Here commander writes the help of a noun without its verb: a program gets an error object in its place.
      writeErr: (text) => void (wantsJson(options) || stderr.write(text)),
      async run(command, flags, raw) {
        const output = makeOutput(flags, terminal);
        const context = makeContext({ wiring, flags, terminal, output, signal: readerGone.signal });
        exit = exitCodes[(await runWithDaemon(command, context, raw)) ?? "ok"][0];
      },
    });
    await program.parseAsync(options, { from: "user" });
  };
  try {
    const topic = argv[0] === "help" ? helpTopics.get(argv[1] ?? "") : undefined;
    if (topic) stdout.write(topic);
    else if (argv[0] === "complete" && argv[1] === "--") {
      const { answerShell } = await import("./completion/answer-shell.ts");
      await answerShell(await loadCommands(commandTree), argv.slice(2), { wiring, terminal });
    } else await runCommand(asOptions(argv));
  } catch (error) {
    if (!readerGone.signal.aborted) exit = exitOf(error, argv, terminal);
  }
  return readerGone.signal.aborted ? exitCodes.ok[0] : exit;
}

/** Runs a command; where it found no daemon, the person at the terminal may have one started, and it runs again. */
async function runWithDaemon(command: Command, context: Context, raw: RawInput): Promise<ExitName | void> {
  try {
    return await command.run(context, raw);
  } catch (error) {
    const isDown = error instanceof CliError && error.extra.code === daemonIsDown && !command.copesAlone;
    if (!isDown || !canAsk(context) || !mayStartDaemon(context)) throw error;
    if (!(await offerStart(context))) throw error;
    return command.run(context, raw);
  }
}

/** `help runs list` is `runs list --help`, and so is nothing at all; of a name that is none, commander says so. */
function asOptions(argv: readonly string[]): string[] {
  if (argv[0] === "help") {
    const [, name] = argv;
    const isKnown = name === undefined || name.startsWith("-") || nameOf(commandTree, name) !== null;
    return isKnown ? [...argv.slice(1), "--help"] : [name];
  }
  return argv.length > 0 ? [...argv] : ["--help"];
}

function exitOf(error: unknown, argv: readonly string[], terminal: Terminal): number {
  // Commander throws after it printed a version or a help text; "commander.help" is a noun without its verb.
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok[0];
  const isJson = wantsJson(argv);
  const isHelp = error instanceof CommanderError && error.code === "commander.help";
  if (isHelp && !isJson) return exitCodes.usage[0];
  const told = isHelp ? missingCommand(argv) : error;
  const isVerbose = argv.some((word) => word === "--verbose" || /^-v+$/.test(word));
  return reportError(told, { isJson, isVerbose, color: colourOf(argv), terminal });
}

function missingCommand(argv: readonly string[]): CliError {
  const noun = argv.find((word) => nameOf(commandTree, word) !== null);
  const path = noun === undefined ? "stepgate" : `stepgate ${noun}`;
  return new CliError("usage", `${path} needs a command.`, { hint: `see: ${path} --help` });
}

function wantsJson(argv: readonly string[]): boolean {
  return argv.includes("--json") || argv.includes("--jsonl");
}

/** What --color says, also where the command line could not be read. */
function colourOf(argv: readonly string[]): ColourChoice {
  const at = argv.findLastIndex((word) => word === "--color" || word.startsWith("--color="));
  const given = at === -1 ? undefined : (argv[at]?.split("=")[1] ?? argv[at + 1]);
  return given === "always" || given === "never" ? given : "auto";
}
