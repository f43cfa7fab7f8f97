import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { ApiError } from "../contract/errors.ts";
import type { Home } from "../contract/home.ts";

/** A daemon that is just ending gives up its lock within this time; one that works is named well within a second. */
const patienceMs = 250;

export type InstanceLock = { release(): void };

/**
 * Makes this process the only daemon of a home. The lock is SQLite's own on a file beside the database, held for life:
 * the kernel frees it however the process ends. Throws CONFLICT when another daemon has it.
 */
export function takeInstanceLock(home: Home, options: { nativeBinding?: string } = {}): InstanceLock {
  const database = new Database(home.lock, { ...options, timeout: patienceMs });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    const remedy = "stop it first (stepgate stop), or set STEPGATE_HOME to another folder";
    throw new ApiError("CONFLICT", `Another Stepgate daemon${describeHolder(home)} uses ${home.dataDir}: ${remedy}`);
  }
  return { release: () => database.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

/** What daemon.json tells of the holder; it is advice and may be missing or old. */
function describeHolder(home: Home): string {
  try {
    const { pid, url }: { pid?: unknown; url?: unknown } = JSON.parse(readFileSync(home.daemonFile, "utf8"));
    return Number.isInteger(pid) ? ` (pid ${String(pid)}, ${String(url)})` : "";
  } catch {
    return "";
  }
}
