import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { scopes } from "../../src/contract/scopes.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { writeNewDatabase } from "./new-database.ts";
import { type RuntimeOptions, TestRuntime } from "./runtime.ts";

/** A database on which one runtime after the other is started, as after a crash. Ends with the test. */
export async function openDisk(): Promise<{ file: string; store: Store }> {
  const folder = mkdtempSync(join(tmpdir(), "stepgate-disk-"));
  const file = join(folder, "test.db");
  await writeNewDatabase(file);
  const store = await openSqliteStore({ file, writer: "inline" });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return { file, store };
}

/** Starts a runtime on a database that outlives it. */
export async function startRuntime(store: Store, options: RuntimeOptions = {}): Promise<TestRuntime> {
  const test = new TestRuntime({ ...store, close: async () => undefined }, options);
  onTestFinished(async () => test.end());
  await test.runtime.open({ host: "127.0.0.1", port: 7717, baseUrl: null });
  test.secret = (await test.mintKey(options.scopes ?? scopes)).secret;
  return test;
}
