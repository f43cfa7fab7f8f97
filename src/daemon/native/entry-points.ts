import { createRequire } from "node:module";
import type { WorkerOptions } from "node:worker_threads";
import { isPackaged, readAddon, readAsset } from "./sea.ts";
import { unpackAddon } from "./unpack-addon.ts";

/** Sources of the worker threads; scripts/build.ts bundles each into the executable under its name. */
export const workerSources = {
  "writer-thread": "../../store/sqlite/writer-thread.ts",
  "check-sqlite": "../check-sqlite.ts",
  "strip-types": "../sandbox/strip-types.ts",
  "build-thread": "../connectors/build-thread.ts",
} as const;

/** Arguments of `new Worker(filename, options)`; add workerData to the options. */
export type WorkerEntry = { filename: URL | string; options: WorkerOptions };

/** How to start a worker thread, from the sources and from the executable alike. */
export function workerEntry(name: keyof typeof workerSources): WorkerEntry {
  if (!isPackaged) return { filename: new URL(workerSources[name], import.meta.url), options: {} };
  const code = new TextDecoder().decode(readAsset(`${name}.js`));
  return { filename: code, options: { eval: true, name } };
}

/**
 * Options that `new Database(file, …)` of better-sqlite3 needs in every thread, to be passed on in a worker's
 * workerData. Empty in a checkout, where the package finds its addon by itself.
 */
export function sqliteBinding(): { nativeBinding?: string } {
  if (!isPackaged) return {};
  return { nativeBinding: unpackAddon("better_sqlite3", readAddon("better_sqlite3.node")) };
}

/** What the sandbox child requires to get isolated-vm: the package in a checkout, else the unpacked addon. */
export function isolatedVmPath(): string {
  if (!isPackaged) return createRequire(import.meta.url).resolve("isolated-vm");
  return unpackAddon("isolated_vm", readAddon("isolated_vm.node"));
}
