import type { Database } from "better-sqlite3";
import { crashPoint } from "./crash-point.ts";
import { migrations as known, type Migration } from "./migrations/index.ts";

const createTable = `CREATE TABLE IF NOT EXISTS migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`;

/**
 * Applies the migrations that are missing, each in one transaction with the row that records it, and returns the
 * version that the database then has. A database of a newer version is refused, untouched.
 */
export function migrate(db: Database, migrations: readonly Migration[] = known): number {
  db.exec(createTable);
  const applied = appliedVersion(db);
  const newest = migrations.at(-1)?.version ?? 0;
  if (applied > newest) {
    throw new Error(
      `The database has schema ${applied}, and this Stepgate knows schemas up to ${newest}: a newer one wrote it. ` +
        "Run that version or a newer one, or restore a backup from before the upgrade.",
    );
  }
  for (const migration of migrations) {
    if (migration.version > applied) apply(db, migration);
  }
  return newest;
}

function appliedVersion(db: Database): number {
  const row = db.prepare<[], { version: number | null }>("SELECT MAX(version) AS version FROM migrations").get();
  return row?.version ?? 0;
}

function apply(db: Database, { version, name, sql }: Migration): void {
  const record = db.prepare("INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, unixepoch() * 1000)");
  const applyAll = db.transaction(() => {
    db.exec(sql);
    record.run(version, name);
    crashPoint("migration.before-commit");
  });
  applyAll.immediate();
}
