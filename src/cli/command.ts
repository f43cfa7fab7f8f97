import { CliError } from "./cli-error.ts";
import type { Context } from "./context.ts";
import type { ExitName } from "./exit-codes.ts";
import type { Arguments, Options, Values } from "./option.ts";

/** Texts given for one option or argument, by its key. */
export type RawInput = ReadonlyMap<string, readonly string[]>;

/** A command as data; program.ts makes commander's commands of these. */
export type Command = {
  readonly name: string;
  readonly summary: string;
  readonly arguments: Arguments;
  readonly options: Options;
  /** Shown under "Examples" without the program's name in front. */
  readonly examples: readonly string[];
  /** Reads the input, then acts; the answer names the exit when it isn't `ok`. */
  run(context: Context, raw: RawInput): Promise<ExitName | void>;
};

/** Commands about one noun: `keys mint`, `keys list`. */
export type CommandGroup = {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly commands: readonly Command[];
};

type CommandSpec<A extends Arguments, O extends Options> = {
  name: string;
  summary: string;
  arguments?: A;
  options?: O;
  examples?: readonly string[];
  action(context: Context, input: Values<A> & Values<O>): Promise<ExitName | void>;
};

type Nothing = Record<never, never>;

/** Closes over the types of a command's arguments and options, so that all commands fit into one list. */
export function defineCommand<A extends Arguments = Nothing, O extends Options = Nothing>(
  spec: CommandSpec<A, O>,
): Command {
  const { action, ...rest } = { arguments: {}, options: {}, examples: [], ...spec };
  const inputs = { ...rest.arguments, ...rest.options };
  return { ...rest, run: async (context, raw) => action(context, readInputs(inputs, raw) as Values<A> & Values<O>) };
}

/** Reads every option or argument; what is wrong with one becomes a usage error that names it. */
export function readInputs(inputs: Arguments | Options, raw: RawInput): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(inputs).map(([key, input]) => {
      try {
        return [key, input.read(raw.get(key) ?? [])];
      } catch (error) {
        const name = "kind" in input ? `<${key}>` : `--${optionName(key)}`;
        throw new CliError("usage", `${name} ${(error as Error).message}.`);
      }
    }),
  );
}

/** `allowBreaking` → `allow-breaking`. */
export function optionName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
