import { readFileSync } from "node:fs";

const intervalMs = 50;

/**
 * Calls back once when a process holds more than so many bytes of memory; returns the function that ends the watch. Does
 * nothing but on Linux: other systems tell it to a native module or another program alone.
 */
export function watchMemory(pid: number, maxBytes: number, onOver: () => void): () => void {
  if (process.platform !== "linux") return () => undefined;
  const timer = setInterval(() => {
    if (residentBytes(pid) <= maxBytes) return;
    clearInterval(timer);
    onOver();
  }, intervalMs).unref();
  return () => clearInterval(timer);
}

/** 0 for a process that has ended. */
function residentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return 0;
    throw error;
  }
}
