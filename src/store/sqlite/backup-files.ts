import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import type { DatabasePlace } from "./connection.ts";

/** How many contents a copy holds, and how many it lacks that runs refer to. */
export type PackedFiles = { packed: number; missing: number };

/** Of a copy alone: a database that is used keeps the contents of its files beside it, under their digests. */
const table = "backup_files";

/**
 * Puts the contents of the files that runs refer to into a copy of the database, so that a backup is one file. What `read`
 * doesn't have, or has changed, is counted as missing. The copy is a draft: nothing else has it open, and a crash spoils it.
 */
export function packFiles(copy: DatabasePlace, read: (digest: string) => Uint8Array | null): PackedFiles {
  const db = open(copy);
  try {
    const digests = listDigests(db);
    if (digests.length === 0) return { packed: 0, missing: 0 };
    db.pragma("journal_mode = OFF");
    db.exec(`CREATE TABLE ${table} (digest TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT`);
    const insert = db.prepare(`INSERT INTO ${table} (digest, bytes) VALUES (?, ?)`);
    let packed = 0;
    for (const digest of digests) {
      const bytes = read(digest);
      if (bytes && digestOf(bytes) === digest) packed += insert.run(digest, bytes).changes;
    }
    return { packed, missing: digests.length - packed };
  } finally {
    db.close();
  }
}

/** Hands each content of a copy to `keep`, one after the other, and gives their number. Throws for one that is damaged. */
export async function unpackFiles(
  copy: DatabasePlace,
  keep: (digest: string, bytes: Uint8Array) => Promise<void>,
): Promise<number> {
  const db = open(copy, true);
  try {
    if (!hasTable(db, table)) return 0;
    const digests = db.prepare<[], string>(`SELECT digest FROM ${table} ORDER BY digest`).pluck().all();
    const find = db.prepare<[string], Buffer>(`SELECT bytes FROM ${table} WHERE digest = ?`).pluck();
    for (const digest of digests) {
      const bytes = find.get(digest);
      if (!bytes || digestOf(bytes) !== digest) throw new Error(`the contents of file ${digest} are damaged`);
      await keep(digest, bytes);
    }
    return digests.length;
  } finally {
    db.close();
  }
}

/** Takes the contents out of a copy that is about to be used, with the space that they had. */
export function dropFiles(copy: DatabasePlace): void {
  const db = open(copy);
  try {
    if (!hasTable(db, table)) return;
    db.exec(`DROP TABLE ${table}`);
    db.pragma("incremental_vacuum");
  } finally {
    db.close();
  }
}

/** The SHA-256 under which a content is kept. */
export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A database of an older schema has no files. */
function listDigests(db: Database.Database): string[] {
  if (!hasTable(db, "files")) return [];
  return db
    .prepare<[], string>("SELECT DISTINCT digest FROM files f JOIN file_uses u ON u.file_id = f.id ORDER BY digest")
    .pluck()
    .all();
}

function hasTable(db: Database.Database, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

function open({ file, nativeBinding }: DatabasePlace, readonly = false): Database.Database {
  return new Database(file, { readonly, fileMustExist: true, ...(nativeBinding ? { nativeBinding } : {}) });
}
