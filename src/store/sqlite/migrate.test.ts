import Database from "better-sqlite3";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, test } from "vitest";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import * as schema from "./schema.ts";

type Column = { name: string; type: string; isRequired: boolean };

const byName = (a: Column, b: Column) => a.name.localeCompare(b.name);

/** Tables and columns as the migrated database has them. */
function readDatabase(db: Database.Database): Map<string, Column[]> {
  const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return new Map(
    tables.map(({ name }) => {
      const columns = db.prepare<[string], { name: string; type: string; notnull: number; pk: number }>(
        'SELECT name, type, "notnull", pk FROM pragma_table_info(?)',
      );
      const found = columns.all(name).map((column) => ({
        name: column.name,
        type: column.type,
        isRequired: column.notnull === 1 || column.pk > 0,
      }));
      return [name, found.toSorted(byName)];
    }),
  );
}

/** Tables and columns as drizzle's queries see them. */
function readSchema(): Map<string, Column[]> {
  const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));
  return new Map(
    tables.map((table) => {
      const { name, columns } = getTableConfig(table);
      const found = columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        isRequired: column.notNull,
      }));
      return [name, found.toSorted(byName)];
    }),
  );
}

describe("migrating", () => {
  test("makes the tables and columns that the schema names, and no others", () => {
    const db = new Database(":memory:");
    migrate(db);
    const made = readDatabase(db);
    const named = readSchema();
    expect([...made.keys()].toSorted()).toEqual([...named.keys()].toSorted());
    for (const [table, columns] of named) expect([table, made.get(table)]).toEqual([table, columns]);
  });

  test("makes strict tables alone", () => {
    const db = new Database(":memory:");
    migrate(db);
    const loose = "SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'";
    expect(db.prepare(loose).all()).toEqual([]);
  });

  test("numbers the migrations without a gap", () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, at) => at + 1));
  });

  test("applies what is missing once, and records it", () => {
    const db = new Database(":memory:");
    const first = { version: 1, name: "first", sql: "CREATE TABLE a (x INTEGER) STRICT" };
    const second = { version: 2, name: "second", sql: "CREATE TABLE b (x INTEGER) STRICT" };
    expect(migrate(db, [first])).toBe(1);
    expect(migrate(db, [first, second])).toBe(2);
    expect(migrate(db, [first, second])).toBe(2);
    const rows = db.prepare("SELECT version, name FROM migrations ORDER BY version").all();
    expect(rows).toEqual([
      { version: 1, name: "first" },
      { version: 2, name: "second" },
    ]);
  });

  test("gives workflows that were published before drafts their deployed definition as a draft", () => {
    const db = new Database(":memory:");
    migrate(db, migrations.slice(0, 6));
    db.exec(`
      INSERT INTO workflows (id, uuid, workspace_id, name, type, created_at, updated_at)
        VALUES (1, 'w', 1, 'Pay', 'callable', 0, 0);
      INSERT INTO versions (uuid, workflow_id, version, status, published_at, definition)
        VALUES ('a', 1, 1, 'archived', 0, '{"name":"Old"}'), ('b', 1, 2, 'deployed', 0, '{"name":"Pay"}');
    `);
    migrate(db);
    expect(db.prepare("SELECT * FROM drafts").all()).toEqual([
      { workflow_id: 1, revision: 1, definition: '{"name":"Pay"}' },
    ]);
  });

  test("leaves nothing of a migration that fails", () => {
    const db = new Database(":memory:");
    const broken = { version: 1, name: "broken", sql: "CREATE TABLE a (x INTEGER) STRICT; CREATE TABLE a (y TEXT)" };
    expect(() => migrate(db, [broken])).toThrow(/already exists/);
    expect([...readDatabase(db).keys()]).toEqual(["migrations"]);
    expect(db.prepare("SELECT * FROM migrations").all()).toEqual([]);
  });

  test("refuses a database of a newer version and says what to do", () => {
    const db = new Database(":memory:");
    migrate(db);
    const later = migrations.length + 1;
    db.prepare("INSERT INTO migrations (version, name, applied_at) VALUES (?, 'later', 0)").run(later);
    expect(() => migrate(db)).toThrow(
      new RegExp(`has schema ${later}, .* up to ${migrations.length}: a newer one wrote it\\. Run that version`),
    );
  });
});
