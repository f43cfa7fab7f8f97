import { copyFileSync, constants, existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import type { Backup, Migrated, Restored, Vacuumed } from "../contract/database.ts";
import { ApiError } from "../contract/errors.ts";
import type { Home } from "../contract/home.ts";
import { backupFolder, copyDatabase, inspectDatabase, replaceDatabase } from "../store/sqlite/backup.ts";
import { type PackedFiles, packFiles } from "../store/sqlite/backup-files.ts";
import { openWriter } from "../store/sqlite/connection.ts";
import { type MigrationState, readMigrations } from "../store/sqlite/migrate.ts";
import { migrations } from "../store/sqlite/migrations/index.ts";
import { readForBackup, restoreContent } from "./files/backup-content.ts";
import { prepareHome } from "./home.ts";
import { takeInstanceLock } from "./instance-lock.ts";
import { sqliteBinding } from "./native/entry-points.ts";

/**
 * A whole copy of the database in a new file, also while the daemon works: a reader sees one moment of it. The contents
 * of the files that its runs refer to are in it. The default place is `backups/`. The copy is checked. With `keyFile` the
 * master key goes into a file of its own.
 */
export async function backupDatabase(home: Home, target?: string, keyFile?: string): Promise<Backup> {
  process.umask(0o077);
  requireDatabase(home);
  const file = target ?? join(backupFolder(home.database), `stepgate-${stamp()}.db`);
  if (existsSync(file)) throw new ApiError("CONFLICT", `${file} is there already, and it is not overwritten`);
  if (keyFile !== undefined) copyKey(home, keyFile);
  if (target === undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const db = new Database(home.database, { ...sqliteBinding(), readonly: true, timeout: 5_000 });
  let files: PackedFiles = { packed: 0, missing: 0 };
  try {
    copyDatabase(db, file, (draft) => {
      files = packFiles({ file: draft, ...sqliteBinding() }, (digest) => readForBackup(filesOf(home), digest));
    });
  } finally {
    db.close();
  }
  const schema = inspectDatabase({ file, ...sqliteBinding() });
  return {
    file,
    bytes: statSync(file).size,
    schema,
    files: files.packed,
    files_missing: files.missing,
    master_key: home.masterKey,
    key_file: keyFile ?? null,
  };
}

/** Whether a backup can be restored here: its schema. Throws BAD_REQUEST for what is broken, or newer than this program. */
export async function checkBackup(home: Home, file: string): Promise<number> {
  let schema: number;
  try {
    schema = inspectDatabase({ file, ...sqliteBinding() });
  } catch (error) {
    throw new ApiError("BAD_REQUEST", error instanceof Error ? error.message : String(error));
  }
  const known = migrations.at(-1)?.version ?? 0;
  if (schema > known) {
    throw new ApiError("BAD_REQUEST", `${file} is of a newer Stepgate: schema ${schema}, and this one knows ${known}`);
  }
  if (existsSync(home.database) && realpathSync(file) === realpathSync(home.database)) {
    throw new ApiError("BAD_REQUEST", `${file} is the database itself`);
  }
  return schema;
}

/**
 * Puts a backup in the database's place and keeps what was there. The contents of its files come first: bytes too many
 * harm nobody, and those that the kept database refers to stay. Throws CONFLICT while a daemon runs.
 */
export async function restoreDatabase(home: Home, file: string): Promise<Restored> {
  return alone(home, async () => {
    const schema = await checkBackup(home, file);
    const files = await restoreContent(filesOf(home), { file, ...sqliteBinding() });
    return { file: home.database, schema, files, kept: replaceDatabase(file, placeOf(home), stamp()) };
  });
}

/** Where the daemon keeps the contents of files. */
function filesOf(home: Home): string {
  return join(home.dataDir, "files");
}

/** Brings the database to this program's schema, with a backup before; `isDry`: only says what would be done. */
export async function migrateDatabase(home: Home, isDry: boolean): Promise<Migrated> {
  requireDatabase(home);
  if (isDry) return describe(readState(home), false);
  return alone(home, async () => {
    const before = readState(home);
    openWriter(placeOf(home)).db.close();
    return describe(before, before.missing.length > 0);
  });
}

/** Rewrites the database without its gaps. Throws CONFLICT while a daemon runs. */
export async function vacuumDatabase(home: Home): Promise<Vacuumed> {
  requireDatabase(home);
  return alone(home, async () => {
    const size = () => statSync(home.database).size;
    const db = new Database(home.database, { ...sqliteBinding(), timeout: 5_000 });
    try {
      db.pragma("wal_checkpoint(TRUNCATE)");
      const before = size();
      db.exec("VACUUM");
      db.pragma("wal_checkpoint(TRUNCATE)");
      return { file: home.database, bytes_before: before, bytes_after: size() };
    } finally {
      db.close();
    }
  });
}

async function alone<T>(home: Home, act: () => Promise<T>): Promise<T> {
  process.umask(0o077);
  prepareHome(home);
  const lock = takeInstanceLock(home, sqliteBinding());
  try {
    return await act();
  } finally {
    lock.release();
  }
}

function placeOf(home: Home) {
  return { file: home.database, ...sqliteBinding() };
}

function requireDatabase(home: Home): void {
  if (!existsSync(home.database)) {
    throw new ApiError("NOT_FOUND", `There is no database ${home.database} yet: the first start makes it`);
  }
}

function readState(home: Home): MigrationState {
  const db = new Database(home.database, { ...sqliteBinding(), readonly: true, timeout: 5_000 });
  try {
    return readMigrations(db);
  } finally {
    db.close();
  }
}

function describe({ applied, newest, missing }: MigrationState, isApplied: boolean): Migrated {
  return {
    from: applied,
    to: Math.max(applied, newest),
    pending: missing.map(({ version, name }) => ({ version, name })),
    applied: isApplied,
  };
}

function copyKey(home: Home, target: string): void {
  if (!existsSync(home.masterKey)) {
    throw new ApiError("NOT_FOUND", `There is no master key in ${home.masterKey}: it comes from the environment`);
  }
  if (existsSync(target)) throw new ApiError("CONFLICT", `${target} is there already, and it is not overwritten`);
  copyFileSync(home.masterKey, target, constants.COPYFILE_EXCL);
}

/** The moment in a file's name. */
function stamp(): string {
  return new Date()
    .toISOString()
    .replace(/[-:]|\..*$/g, "")
    .replace("T", "-");
}
