import { spawn } from "node:child_process";
import { once } from "node:events";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { launcherPath } from "../mcp/launcher.ts";

/** Refuses where there is no terminal to draw on, before anything is started. */
export function requireScreen({ terminal: { stdin, stdout }, output }: Pick<Context, "terminal" | "output">): void {
  if (stdin.isTTY && stdout.isTTY && output.format === "table") return;
  throw new CliError("usage", "--open-ui needs a terminal for its input and its output.", {
    hint: "leave it out: dev prints what happens, with --jsonl for programs",
  });
}

/**
 * Runs the terminal UI of the daemon in `folder` as a process of its own, which has the terminal to itself, until a person
 * ends it or `signal` aborts.
 */
export async function showUi(
  { terminal: { env }, flags }: Pick<Context, "terminal" | "flags">,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const look = [...(flags.ascii ? ["--ascii"] : []), ...(flags.accessible ? ["--accessible"] : [])];
  const colour = flags.color === undefined ? [] : ["--color", flags.color];
  // Whatever else leads to another daemon stays out.
  const elsewhere = new Set(["STEPGATE_URL", "STEPGATE_PROFILE", "STEPGATE_CONFIG"]);
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !elsewhere.has(name)));
  const child = spawn(launcherPath(), ["ui", ...look, ...colour], {
    stdio: "inherit",
    env: { ...own, STEPGATE_HOME: folder },
  });
  const end = () => child.kill("SIGTERM");
  signal.addEventListener("abort", end);
  try {
    await once(child, "exit");
  } finally {
    signal.removeEventListener("abort", end);
  }
}
