import { existsSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import type { Home } from "../contract/home.ts";
import { migrations } from "../store/sqlite/migrations/index.ts";
import { sqliteBinding } from "./native/entry-points.ts";
import type { Check } from "./self-check.ts";

/** A larger database takes many seconds to look through. */
const maxCheckedBytes = 1024 ** 3;

/** What can be said of a home's files without its daemon. Changes nothing. */
export async function checkHome(home: Home): Promise<Check[]> {
  return [checkLock(home), checkSchema(home), checkPages(home)];
}

/** Held, no daemon that answers: it starts, it stops or it hangs. The kernel frees the lock of a process that died. */
function checkLock(home: Home): Check {
  if (!existsSync(home.lock)) return { name: "lock", status: "ok", message: "No daemon was started here yet" };
  const database = new Database(home.lock, { ...sqliteBinding(), timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return { name: "lock", status: "ok", message: "Free: no daemon holds the data" };
  } catch {
    return { name: "lock", status: "ok", message: "Held by a daemon" };
  } finally {
    database.close();
  }
}

function checkSchema(home: Home): Check {
  const known = migrations.at(-1)?.version ?? 0;
  if (!existsSync(home.database)) return { name: "schema", status: "ok", message: "There is no database yet" };
  try {
    const database = new Database(home.database, { ...sqliteBinding(), readonly: true, timeout: 500 });
    const row = database.prepare<[], { found: number | null }>("SELECT MAX(version) AS found FROM migrations").get();
    const found = row?.found ?? 0;
    database.close();
    if (found <= known) return { name: "schema", status: "ok", message: describe(found, known) };
    const message = `The database is of a newer Stepgate: version ${found}, and this one knows ${known}`;
    return { name: "schema", status: "fail", message, fix: "Start the newer Stepgate, or restore an earlier backup" };
  } catch (error) {
    const message = `The database can't be read: ${error instanceof Error ? error.message : String(error)}`;
    return { name: "schema", status: "fail", message, fix: `Look at ${home.database}; restore a backup` };
  }
}

/** A damaged page is met by whatever reads it, and may be met late. */
function checkPages(home: Home): Check {
  const name = "database";
  const bytes = statSync(home.database, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return { name, status: "ok", message: "There is no database yet" };
  if (bytes > maxCheckedBytes) return { name, status: "ok", message: "Not looked through: it is larger than 1 GiB" };
  const fix = "Stop the daemon and restore a backup: stepgate db restore FILE";
  try {
    const database = new Database(home.database, { ...sqliteBinding(), readonly: true, timeout: 500 });
    try {
      const found = String(database.pragma("quick_check(1)", { simple: true }));
      if (found === "ok") return { name, status: "ok", message: "Every page is sound" };
      return { name, status: "fail", message: `The database is damaged: ${found}`, fix };
    } finally {
      database.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, status: "fail", message: `The database can't be read: ${reason}`, fix };
  }
}

function describe(found: number, known: number): string {
  return found === known ? `Version ${found}` : `Version ${found}; the next start brings it to ${known}`;
}
