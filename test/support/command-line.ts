import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };
import type { Terminal } from "../../src/cli/context.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { wiringOf } from "./unused-wiring.ts";

/** STEPGATE_BIN: the executable instead of the sources (scripts/test-binary.ts). */
export const launcher = process.env["STEPGATE_BIN"] ?? fileURLToPath(new URL("../../bin/stepgate", import.meta.url));

export type Ended = { code: number; stdout: string; stderr: string };

/** Runs the real command line in a process of its own, its output in pipes. Other STEPGATE_ variables are unset. */
export async function stepgate(
  home: string,
  args: readonly string[],
  { stdin = "", env = {}, cwd }: { stdin?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("STEPGATE_"));
  const child = spawn(launcher, args, {
    env: { ...Object.fromEntries(inherited), STEPGATE_HOME: home, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  child.stdin.on("error", () => undefined).end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: Number(code), stdout, stderr };
}

type Screen = {
  columns?: number;
  env?: NodeJS.ProcessEnv;
  answer?: string;
  /** Whether the terminal is the input, too; if absent it is. */
  hasInput?: boolean;
};

/** Runs a command in this process at a terminal of 80 columns; `answer` is typed at its question. */
export async function atTerminal(socketPath: string, args: readonly string[], screen: Screen = {}): Promise<Ended> {
  const { columns = 80, env = { LANG: "C.UTF-8", NO_COLOR: "1" }, answer, hasInput = true } = screen;
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  for (const stream of Object.values(streams))
    Object.assign(stream, { isTTY: true, columns, setRawMode: () => stream });
  Object.assign(streams.stdin, { isTTY: hasInput });
  if (answer !== undefined) streams.stdin.write(`${answer}\n`);
  const code = await runCli(args, wiringOf(socketPath, { version: manifest.version }), {
    ...streams,
    env,
  } as unknown as Terminal);
  streams.stdout.end();
  streams.stderr.end();
  return { code, stdout: await text(streams.stdout), stderr: await text(streams.stderr) };
}
