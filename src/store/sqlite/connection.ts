import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import Database from "better-sqlite3";
import { copyBeforeUpgrade } from "./backup.ts";
import { migrate } from "./migrate.ts";

/*
 * Hot statements write a parameter as `+?`. The native build has SQLite's STAT4, which plans a statement anew whenever a
 * bare parameter that its plan might depend on is bound: 4 to 10 us each time, ten times what the statement itself takes.
 */

/** Where the database lies, and the native binding when it is not where the package looks for it. */
export type DatabasePlace = { file: string; nativeBinding?: string };

/** The connection that writes, and the number of its database's newest migration. */
export type OpenedWriter = { db: Database.Database; schemaVersion: number };

/** A database that lives as long as its one connection. */
export function isInMemory(file: string): boolean {
  return file === ":memory:";
}

/**
 * Opens the connection that writes, creating or migrating the database. A commit on it is on the disk when it returns:
 * left alone, the native build runs WAL with synchronous=NORMAL, which may lose acknowledged commits with the power.
 */
export function openWriter(place: DatabasePlace): OpenedWriter {
  let schemaVersion = 0;
  const db = open(place, {}, (opened) => {
    // Takes effect only while the file is still empty.
    opened.pragma("auto_vacuum = INCREMENTAL");
    const mode = opened.pragma("journal_mode = WAL", { simple: true });
    if (mode !== "wal" && !isInMemory(place.file)) {
      throw new Error("its file system cannot hold a write-ahead log; use a local disk");
    }
    opened.pragma("synchronous = FULL");
    // What retention deletes is gone from the file, not only from its tables.
    opened.pragma("secure_delete = ON");
    // Only macOS knows a stronger fsync; elsewhere this changes nothing.
    opened.pragma("fullfsync = ON");
    opened.pragma(`journal_size_limit = ${16 * 1024 * 1024}`);
    schemaVersion = migrate(opened, undefined, (newest) => {
      if (!isInMemory(place.file)) copyBeforeUpgrade(opened, newest);
    });
  });
  return { db, schemaVersion };
}

/** Opens a connection that sees what is committed and can change nothing. */
export function openReader(place: DatabasePlace): Database.Database {
  return open(place, { readonly: true }, () => undefined);
}

function open(
  { file, nativeBinding }: DatabasePlace,
  options: Database.Options,
  prepare: (db: Database.Database) => void,
): Database.Database {
  let db: Database.Database | undefined;
  try {
    if (!options.readonly && !isInMemory(file)) keepPrivate(file);
    db = new Database(file, { ...options, timeout: 5000, ...(nativeBinding ? { nativeBinding } : {}) });
    db.pragma("foreign_keys = ON");
    db.pragma("trusted_schema = OFF");
    db.pragma("temp_store = MEMORY");
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The database ${file} cannot be opened: ${reason}`, { cause: error });
  }
}

/** SQLite gives its side files the mode of the database. */
function keepPrivate(file: string): void {
  if (existsSync(file)) chmodSync(file, 0o600);
  else closeSync(openSync(file, "wx", 0o600));
}
