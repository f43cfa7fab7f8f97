import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";
import { testStore } from "../store.suite.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const folder = mkdtempSync(join(tmpdir(), "stepgate-store-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function newFile(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

/** The writer's thread as a package has it: bundled, and started by whoever knows the bundle. */
const [bundle] = buildSync({
  entryPoints: [fileURLToPath(new URL("writer-thread.ts", import.meta.url))],
  bundle: true,
  write: false,
  platform: "node",
  format: "cjs",
  external: ["better-sqlite3"],
}).outputFiles;
const startBundled = (workerData: unknown) => new Worker(bundle?.text ?? "", { eval: true, workerData });

testStore("SQLite in memory", () => openSqliteStore({ file: ":memory:", writer: "inline" }));
testStore("a SQLite file", () => openSqliteStore({ file: newFile(), writer: "inline" }));
testStore("a SQLite file with a bundled writer thread", () =>
  openSqliteStore({ file: newFile(), writer: "thread", newWorker: startBundled }),
);
