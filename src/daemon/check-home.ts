import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import type { Home } from "../contract/home.ts";
import { migrations } from "../store/sqlite/migrations/index.ts";
import { sqliteBinding } from "./native/entry-points.ts";
import type { Check } from "./self-check.ts";

/** What can be said of a home's files without its daemon. Changes nothing. */
export async function checkHome(home: Home): Promise<Check[]> {
  return [checkLock(home), checkSchema(home)];
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

function describe(found: number, known: number): string {
  return found === known ? `Version ${found}` : `Version ${found}; the next start brings it to ${known}`;
}
