import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
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

/** A database that is empty but for its schema: the migrations run once, not before each test. */
const empty = join(folder, "empty.db");
await (await openSqliteStore({ file: empty, writer: "inline" })).close();

let files = 0;
function newFile(): string {
  files += 1;
  const file = join(folder, `${files}.db`);
  copyFileSync(empty, file);
  return file;
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

// One connection for all, and as the daemon has it: connections of their own for reads and for the thread that writes.
testStore("SQLite in memory", () => openSqliteStore({ file: ":memory:", writer: "inline" }));
testStore("a SQLite file with a bundled writer thread", () =>
  openSqliteStore({ file: newFile(), writer: "thread", newWorker: startBundled }),
);
