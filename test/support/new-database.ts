import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

let made: Promise<Buffer> | null = null;

/** Writes a database as the store itself makes one, once in this process: its migrations take 20 ms, a copy one. */
export async function writeNewDatabase(file: string): Promise<void> {
  made ??= makeDatabase();
  writeFileSync(file, await made, { mode: 0o600, flag: "wx" });
}

async function makeDatabase(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "stepgate-new-"));
  const file = join(folder, "new.db");
  await (await openSqliteStore({ file, writer: "inline" })).close();
  const content = readFileSync(file);
  rmSync(folder, { recursive: true });
  return content;
}
