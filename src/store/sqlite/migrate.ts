import type { Database } from "better-sqlite3";
import { findBackupBefore } from "./backup.ts";
import { crashPoint } from "./crash-point.ts";
import { migrations as known, type Migration } from "./migrations/index.ts";

const createTable = `CREATE TABLE IF NOT EXISTS migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`;

/** Where a database stands: what it has, what this program knows, and what is missing. */
export type MigrationState = { applied: number; newest: number; missing: readonly Migration[] };

/**
 * Applies the migrations that are missing, all in one transaction with the rows that record them, and returns the
 * version that the database then has. `beforeUpgrade` is called with that version first where there is something to lose.
 * A database of a newer version is refused, untouched.
 */
export function migrate(
  db: Database,
  migrations: readonly Migration[] = known,
  beforeUpgrade: (newest: number) => void = () => undefined,
): number {
  db.exec(createTable);
  const { applied, newest, missing } = readMigrations(db, migrations);
  if (applied > newest) {
    throw new Error(
      `The database has schema ${applied}, and this Stepgate knows schemas up to ${newest}: a newer one wrote it. ` +
        `Run that version or a newer one, or restore a backup from before the upgrade${backupHint(db, newest)}.`,
    );
  }
  if (missing.length === 0) return newest;
  if (applied > 0) beforeUpgrade(newest);
  const record = db.prepare("INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, unixepoch() * 1000)");
  const applyAll = db.transaction(() => {
    for (const { version, name, sql } of missing) {
      db.exec(sql);
      record.run(version, name);
      crashPoint("migration.before-commit");
    }
  });
  applyAll.immediate();
  return newest;
}

/** The database has to have its table of migrations. */
export function readMigrations(db: Database, migrations: readonly Migration[] = known): MigrationState {
  const row = db.prepare<[], { version: number | null }>("SELECT MAX(version) AS version FROM migrations").get();
  const applied = row?.version ?? 0;
  return {
    applied,
    newest: migrations.at(-1)?.version ?? 0,
    missing: migrations.filter(({ version }) => version > applied),
  };
}

function backupHint(db: Database, newest: number): string {
  const file = db.memory ? null : findBackupBefore(db.name, newest);
  return file === null ? "" : ` with: stepgate db restore ${file}`;
}
