import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError, systemCode } from "../cli-error.ts";
import { readStatus } from "../commands/status.ts";
import type { Context } from "../context.ts";

const pollMs = 50;

/** A little longer than the drain (contract 17). */
const defaultTimeoutMs = 40_000;

/** A little longer than the last connections have when the socket closes. */
const lockMs = 2_500;

/** How long a process has that was told to end at once. */
const killMs = 5_000;

/**
 * Asks the daemon to drain and waits until it is gone. With `isForced` one that takes longer than `timeoutMs` is ended
 * at once, and the next start takes its runs up; else that is a `waitTimedOut`. Rejects when no daemon runs.
 */
export async function stopDaemon(
  { control, output, wiring, terminal }: Pick<Context, "control" | "output" | "wiring" | "terminal">,
  { timeoutMs = defaultTimeoutMs, isForced = false }: { timeoutMs?: number | undefined; isForced?: boolean } = {},
): Promise<void> {
  const client = await control();
  const status = await readStatus(client);
  await client.post("/control/stop");
  output.note("stopping: running steps may take up to 35 s to end …");
  if (await isSilent(client, timeoutMs)) return letGo((await wiring.resolveHome(terminal.env)).daemonFile);
  if (isForced && status) {
    output.note("ending it now: the next start takes its runs up");
    endProcess(status.pid);
    if (await isSilent(client, killMs)) return;
  }
  throw new CliError("waitTimedOut", "The daemon is still stopping.", {
    hint: isForced ? "see: stepgate status" : "wait, or end it at once with: stepgate stop --force",
  });
}

/** Silence on the socket is the proof: a process id may still be listed then (cli.md, measured fact 15). */
async function isSilent(client: Awaited<ReturnType<Context["control"]>>, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while ((await readStatus(client)) !== null) {
    if (performance.now() > deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

/**
 * Waits until the daemon's own file is gone: it goes with the lock, after the last connections of the socket, and the next
 * daemon finds the folder free. One that was killed leaves the file behind, so that nobody waits for long.
 */
async function letGo(daemonFile: string): Promise<void> {
  const deadline = performance.now() + lockMs;
  while (existsSync(daemonFile) && performance.now() < deadline) await sleep(pollMs);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error;
  }
}
