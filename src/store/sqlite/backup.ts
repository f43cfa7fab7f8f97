import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { dropFiles } from "./backup-files.ts";
import type { DatabasePlace } from "./connection.ts";

/** Where copies of a database are kept (cli.md, Files). */
export function backupFolder(databaseFile: string): string {
  return join(dirname(databaseFile), "backups");
}

/**
 * Writes a whole, compact copy of what is committed into a new file of this user alone, also while others write. The copy
 * is on the disk when this returns. `complete` may add to it before. Throws when there is such a file already, and leaves
 * nothing of a copy that failed.
 */
export function copyDatabase(
  db: Database.Database,
  target: string,
  complete: (draft: string) => void = () => undefined,
): void {
  if (existsSync(target)) throw new Error(`${target} is there already`);
  const draft = `${target}.${process.pid}.part`;
  try {
    rmSync(draft, { force: true });
    // Made here so that no moment passes in which others could read it.
    closeSync(openSync(draft, "wx", 0o600));
    db.prepare("VACUUM INTO ?").run(draft);
    complete(draft);
    flush(draft);
    // Unlike a rename this never takes the place of a file that came meanwhile.
    linkSync(draft, target);
    flush(dirname(target));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Copies the database away before it is migrated to a schema: `backups/pre-<schema>.db`, with a number where that is taken. */
export function copyBeforeUpgrade(db: Database.Database, schema: number): string {
  const folder = backupFolder(db.name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let copy = 1; ; copy++) {
    const target = join(folder, `pre-${schema}${copy === 1 ? "" : `-${copy}`}.db`);
    if (existsSync(target)) continue;
    copyDatabase(db, target);
    return target;
  }
}

/** The newest copy that was made before an upgrade beyond a schema; null when there is none. */
export function findBackupBefore(databaseFile: string, schema: number): string | null {
  const folder = backupFolder(databaseFile);
  if (!existsSync(folder)) return null;
  const found = readdirSync(folder).flatMap((name) => {
    const match = /^pre-(\d+)(?:-(\d+))?\.db$/.exec(name);
    return match && Number(match[1]) > schema ? [{ name, schema: Number(match[1]), copy: Number(match[2] ?? 1) }] : [];
  });
  const [best] = found.toSorted((a, b) => a.schema - b.schema || b.copy - a.copy);
  return best ? join(folder, best.name) : null;
}

/** What a file is: the number of its newest migration. Throws, naming what is wrong, for anything but a sound database. */
export function inspectDatabase({ file, nativeBinding }: DatabasePlace): number {
  if (!existsSync(file)) throw new Error(`There is no file ${file}`);
  const db = new Database(file, { readonly: true, ...(nativeBinding ? { nativeBinding } : {}) });
  try {
    const problems = db.pragma("integrity_check(3)") as { integrity_check: string }[];
    if (problems[0]?.integrity_check !== "ok") throw new Error(problems.map((row) => row.integrity_check).join("; "));
    const row = db.prepare<[], { version: number | null }>("SELECT MAX(version) AS version FROM migrations").get();
    if (!row?.version) throw new Error("it is empty");
    return row.version;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} is no sound database of Stepgate: ${reason}`, { cause: error });
  } finally {
    db.close();
  }
}

/**
 * Puts a copy in the place of the database, whose lock the caller holds; what was there is kept, under a name that is
 * returned, null where nothing was. The contents of files in the copy have been unpacked by then. Whenever the process is stopped, there is one of the two.
 */
export function replaceDatabase(copy: string, { file, nativeBinding }: DatabasePlace, stamp: string): string | null {
  const draft = `${file}.${process.pid}.part`;
  try {
    copyFileSync(copy, draft);
    chmodSync(draft, 0o600);
    const binding = nativeBinding ? { nativeBinding } : {};
    dropFiles({ file: draft, ...binding });
    flush(draft);
    const kept = existsSync(file) ? keepAside({ file, ...binding }, stamp) : null;
    renameSync(draft, file);
    flush(dirname(file));
    return kept;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The new database must not find the log of the old one. */
function keepAside(place: DatabasePlace, stamp: string): string {
  settle(place);
  const folder = backupFolder(place.file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = join(folder, `replaced-${stamp}-${basename(place.file)}`);
  linkSync(place.file, kept);
  if (existsSync(`${place.file}-wal`)) renameSync(`${place.file}-wal`, `${kept}-wal`);
  rmSync(`${place.file}-shm`, { force: true });
  return kept;
}

/** Moves the log into the file; where the database is too broken for that, the log is kept beside it. */
function settle({ file, nativeBinding }: DatabasePlace): void {
  try {
    const db = new Database(file, nativeBinding ? { nativeBinding } : {});
    try {
      db.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      db.close();
    }
  } catch {
    // A backup is most wanted where the database can't be read any more.
  }
}

function flush(path: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
