import { CliError, reasonOf } from "./cli-error.ts";
import type { Context } from "./context.ts";
import type { ExitName } from "./exit-codes.ts";
import type { Arguments, Inputs, Options, Values } from "./option.ts";

/** Texts given for one option or argument, by its key. */
export type RawInput = ReadonlyMap<string, readonly string[]>;

/** A command as data; program.ts makes commander's commands of these. */
export type Command = {
  readonly name: string;
  readonly summary: string;
  readonly arguments: Arguments;
  readonly options: Options;
  /** Has an answer of its own where no daemon runs: nobody is asked whether to start one. */
  readonly copesAlone: boolean;
  /** Shown under "Examples" without the program's name in front. */
  readonly examples: readonly string[];
  /** Reads the input, then acts; the answer names the exit when it isn't `ok`. */
  run: (context: Context, raw: RawInput) => Promise<ExitName | void>;
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
  copesAlone?: boolean;
  action: (context: Context, input: Values<A> & Values<O>) => Promise<ExitName | void>;
};

/** Of a command without arguments or without options. */
type None = { readonly [key: symbol]: never };

/** Closes over the types of a command's arguments and options, so that all commands fit into one list. */
export function defineCommand<A extends Arguments = None, O extends Options = None>(spec: CommandSpec<A, O>): Command {
  const { name, summary, arguments: args, options, examples = [], copesAlone = false, action } = spec;
  return {
    name,
    summary,
    arguments: args ?? {},
    options: options ?? {},
    examples,
    copesAlone,
    run: async (context, raw) => action(context, { ...readInputs(args, raw), ...readInputs(options, raw) }),
  };
}

/** Reads every option or argument; what is wrong with one becomes a usage error that names it. */
export function readInputs<I extends Inputs>(inputs: I | undefined, raw: RawInput): Values<I> {
  const pairs = Object.entries(inputs ?? {}).map(([key, input]): unknown[] => {
    try {
      return [key, input.read(raw.get(key) ?? [])];
    } catch (error) {
      const name = "kind" in input ? `<${key}>` : `--${optionName(key)}`;
      throw new CliError("usage", `${name} ${reasonOf(error)}.`);
    }
  });
  return Object.fromEntries(pairs);
}

/** `allowBreaking` → `allow-breaking`. */
export function optionName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
