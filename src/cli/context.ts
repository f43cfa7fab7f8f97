import { Client } from "./client.ts";
import { CliError } from "./cli-error.ts";
import { type ConfigurationAccess, accessConfiguration } from "./config/sources.ts";
import { type Address, findAddress } from "./find-address.ts";
import type { GlobalFlags } from "./globals.ts";
import type { Output } from "./output.ts";
import type { Target } from "./exchange.ts";
import { findRemote } from "./target.ts";
import { safeText } from "./safe-text.ts";
import type { Wiring } from "./wiring.ts";

/** What the process gives a command to work with. */
export type Terminal = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env">;

/** Handed to every command. */
export type Context = ConfigurationAccess & {
  wiring: Wiring;
  flags: GlobalFlags;
  terminal: Terminal;
  output: Output;
  /** Aborts when nobody reads the output any more. */
  signal: AbortSignal;
  /** The daemon of this machine, over its control socket. */
  control: () => Promise<Client>;
  /** The daemon that --url, --profile and their like name, else the one of this machine. */
  runtime: () => Promise<Client>;
  /** Another daemon than the one of this machine, where one is meant. */
  remote: () => Promise<Target | null>;
  /** Its address alone, for which no key is needed. */
  remoteAddress: () => Promise<Address | null>;
};

type Parts = Pick<Context, "wiring" | "flags" | "terminal" | "output" | "signal">;

export function makeContext({ signal, ...parts }: Parts): Context {
  const { flags, terminal, wiring } = parts;
  const trace = flags.verbose ? { trace: (line: string) => void terminal.stderr.write(`${line}\n`) } : {};
  const client = { "x-stepgate-client": wiring.version };
  const onVersion = noteSkew(parts);
  const control = async () => {
    const headers = { ...client, ...(flags.workspace ? { "x-stepgate-workspace": flags.workspace } : {}) };
    const { socket } = await wiring.resolveHome(terminal.env);
    return new Client({ socketPath: socket }, { headers, signal, onVersion, ...trace });
  };
  const access = accessConfiguration({ flags, env: terminal.env, wiring });
  const sources = { flags, env: terminal.env, ...access };
  const remoteAddress = async () => findAddress(sources);
  const remote = async () => findRemote(sources);
  return {
    ...parts,
    signal,
    ...access,
    remoteAddress,
    remote,
    async control() {
      const isTyped = flags.url !== undefined || (flags.profile !== undefined && (await remoteAddress()) !== null);
      if (!isTyped) return control();
      const flag = flags.url === undefined ? "--profile" : "--url";
      throw new CliError("usage", `This command is for the daemon of this machine alone: leave ${flag} out.`);
    },
    async runtime() {
      const target = await remote();
      return target ? new Client(target, { headers: client, signal, onVersion, ...trace }) : control();
    },
  };
}

/** Tells a person once that the daemon is of another version (cli.md, upgrade). */
function noteSkew({ wiring, output }: Pick<Context, "wiring" | "output">): (version: string) => void {
  let isTold = false;
  return (version) => {
    if (version === wiring.version || isTold) return;
    isTold = true;
    output.note(`The daemon is Stepgate ${safeText(version)}, this command line ${wiring.version}.`);
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
  const { askLine } = await import("./ask-line.ts");
  const answer = await askLine(context, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer ?? "")) throw new CliError("usage", "Nothing was changed.");
}
