import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Lets a process have what processor time the others leave, for good. A process that has ended is no error. */
export function putBehindOthers(pid: number): void {
  try {
    // On Linux a priority is a thread's own, and a script runs on a thread that is there already.
    const threads = process.platform === "linux" ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
    for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_LOW);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** `setPriority` wraps the system's error. */
function isGone(error: unknown): boolean {
  const { code, info } = error as { code?: string; info?: { code?: string } };
  return [code, info?.code].some((name) => name === "ENOENT" || name === "ESRCH");
}
