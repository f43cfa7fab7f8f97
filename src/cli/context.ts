import { Client } from "./client.ts";
import { CliError } from "./cli-error.ts";
import type { GlobalFlags } from "./globals.ts";
import type { Output } from "./output.ts";
import { findRemote } from "./target.ts";
import type { Wiring } from "./wiring.ts";

/** What the process gives a command to work with. */
export type Terminal = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env">;

/** Handed to every command. */
export type Context = {
  wiring: Wiring;
  flags: GlobalFlags;
  terminal: Terminal;
  output: Output;
  /** The daemon of this machine, over its control socket. */
  control: () => Promise<Client>;
  /** The daemon that --url names, else the one of this machine. */
  runtime: () => Promise<Client>;
};

type Parts = Omit<Context, "control" | "runtime"> & {
  /** Aborts when nobody reads the output any more. */
  signal: AbortSignal;
};

export function makeContext({ signal, ...parts }: Parts): Context {
  const { flags, terminal, wiring } = parts;
  const trace = flags.verbose ? { trace: (line: string) => void terminal.stderr.write(`${line}\n`) } : {};
  const control = async () => {
    const headers: Record<string, string> = flags.workspace ? { "x-stepgate-workspace": flags.workspace } : {};
    const { socket } = await wiring.resolveHome(terminal.env);
    return new Client({ socketPath: socket }, { headers, signal, ...trace });
  };
  return {
    ...parts,
    async control() {
      if (flags.url === undefined) return control();
      throw new CliError("usage", "This command is for the daemon of this machine alone: leave --url out.");
    },
    async runtime() {
      const target = findRemote(flags, terminal.env);
      return target ? new Client(target, { signal, ...trace }) : control();
    },
  };
}

/** Whether there is a person who can be asked. */
export function canAsk({ flags, terminal }: Pick<Context, "flags" | "terminal">): boolean {
  const { env, stdin } = terminal;
  return stdin.isTTY && !flags.noInput && !env["STEPGATE_NO_INPUT"] && !env["CI"];
}

/** Goes on when --yes is set or a person agrees; without either it's a usage error, never a prompt. */
export async function confirm(context: Context, question: string): Promise<void> {
  if (context.flags.yes) return;
  if (!canAsk(context)) {
    throw new CliError("usage", `${question} There is nobody to ask here.`, { hint: "agree with --yes" });
  }
  const { createInterface } = await import("node:readline/promises");
  const { stdin, stderr } = context.terminal;
  const prompt = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await prompt.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliError("usage", "Nothing was changed.");
  } finally {
    prompt.close();
  }
}
