import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DaemonStatus } from "../../contract/control.ts";
import { CliError } from "../cli-error.ts";
import { readStatus } from "../commands/status.ts";
import type { Context } from "../context.ts";
import { type ExitName, exitCodes } from "../exit-codes.ts";
import { launcherPath } from "../mcp/launcher.ts";
import { lastLines, sizeOf } from "./log-lines.ts";

const pollMs = 40;

/** How many lines of the log tell why a daemon did not come up (cli.md, background). */
const linesOfFailure = 20;

export type LaunchOptions = { host?: string | undefined; port?: number | undefined; waitMs?: number };

/** `isOwn`: it is the one that was started here, and not one that was faster. */
export type Launched = { status: DaemonStatus; isOwn: boolean };

/**
 * Starts a daemon in the background, apart from this terminal, and waits until it answers; its log goes to the log file.
 * Throws with the last lines of its log when it ends instead, and `waitTimedOut` when it takes longer than `waitMs`.
 */
export async function launchDaemon(
  context: Pick<Context, "wiring" | "terminal" | "control" | "userFile">,
  { host, port, waitMs = 10_000 }: LaunchOptions = {},
): Promise<Launched> {
  const { env } = context.terminal;
  const { logFile } = await context.wiring.resolveHome(env);
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const place = [
    ...(host === undefined ? [] : ["--host", host]),
    ...(port === undefined ? [] : ["--port", String(port)]),
  ];
  const config = ["--config", await context.userFile()];
  const logStart = await sizeOf(logFile);
  const child = spawnApart(["serve", "--log-format", "json", "--log-file", logFile, ...place, ...config], logFile, env);
  const client = await context.control();
  const deadline = performance.now() + waitMs;
  for (;;) {
    const isOver = hasEnded(child);
    const status = await readStatus(client);
    if (status) return { status, isOwn: status.pid === child.pid };
    if (isOver) {
      throw new CliError(
        exitOf(child),
        `The daemon did not start:\n${await lastLines(logFile, logStart, linesOfFailure)}`,
        {
          hint: `all of it: ${logFile}`,
        },
      );
    }
    if (performance.now() > deadline) {
      throw new CliError("waitTimedOut", `The daemon has not answered for ${waitMs / 1000} s; it may still come up.`, {
        hint: "see: stepgate logs",
      });
    }
    await sleep(pollMs);
  }
}

/** What the process itself says, such as why it can't start, goes to the log as well. */
function spawnApart(args: readonly string[], logFile: string, env: NodeJS.ProcessEnv): ChildProcess {
  const log = openSync(logFile, "a", 0o600);
  try {
    const child = spawn(launcherPath(), args, {
      detached: true,
      stdio: ["ignore", log, log],
      env: daemonEnvironment(env),
      cwd: dirname(logFile),
    });
    // Without a listener a program that is missing would end this one.
    child.on("error", () => undefined);
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** As `serve` would have ended in this terminal. */
function exitOf({ exitCode }: ChildProcess): ExitName {
  if (exitCode === exitCodes.conflict[0]) return "conflict";
  return exitCode === exitCodes.usage[0] ? "usage" : "failure";
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || pid === undefined;
}

/** A daemon lives longer than the shell that started it: it gets what it reads, and no key that was meant for a command. */
const inherited =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|STEPGATE_\w+|OPENAI_API_KEY|ANTHROPIC_API_KEY|OTEL_\w+|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|NODE_COMPILE_CACHE|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|SystemRoot|SystemDrive|APPDATA|LOCALAPPDATA|USERPROFILE|PATHEXT|ComSpec)$/;
const commandsOwn = new Set(["STEPGATE_API_KEY", "STEPGATE_API_KEY_FILE", "STEPGATE_URL", "STEPGATE_PROFILE"]);

export function daemonEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => inherited.test(name) && !commandsOwn.has(name)));
}
