import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openReader, openWriter } from "./connection.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stepgate-connection-"));
  file = join(folder, "stepgate.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("the connection that writes", () => {
  test.each([
    ["synchronous", 2],
    ["fullfsync", 1],
    ["journal_mode", "wal"],
    ["auto_vacuum", 2],
    ["foreign_keys", 1],
    ["trusted_schema", 0],
    ["busy_timeout", 5000],
  ])("reads %s back as %s, when the file is new and when it is opened again", (pragma, value) => {
    for (const _ of ["new", "again"]) {
      const { db } = openWriter({ file });
      expect(db.pragma(pragma, { simple: true })).toBe(value);
      db.close();
    }
  });

  test("keeps the database and its side files to their owner", () => {
    const { db } = openWriter({ file });
    expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(["600", "600", "600"]);
    db.close();
    chmodSync(file, 0o644);
    openWriter({ file }).db.close();
    expect(modeOf(file)).toBe("600");
  });

  test("refuses a file that is no database, and leaves it alone", () => {
    writeFileSync(file, "my notes, and enough of them to fill the header of a database file ".repeat(9));
    const before = readFileSync(file);
    expect(() => openWriter({ file })).toThrow(`The database ${file} cannot be opened: file is not a database`);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("says which folder is missing", () => {
    const lost = join(folder, "missing", "stepgate.db");
    expect(() => openWriter({ file: lost })).toThrow(lost);
  });
});

test("the connection that reads can change nothing", () => {
  const { db } = openWriter({ file });
  const reader = openReader({ file });
  expect(() => reader.exec("DELETE FROM workspaces")).toThrow(/readonly/);
  reader.close();
  db.close();
});
