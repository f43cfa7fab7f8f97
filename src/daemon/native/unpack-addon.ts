import { createHash, randomUUID } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import envPaths from "env-paths";

/**
 * Folders that may hold unpacked addons, the preferred one first: $STEPGATE_HOME/cache alone when it is set,
 * else the user's cache folder and, where there is no home, one of the user's own in the system's temporary folder.
 */
export function addonFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  if (env["STEPGATE_HOME"]) return [resolve(env["STEPGATE_HOME"], "cache")];
  const xdg = env["XDG_CACHE_HOME"];
  const cache = xdg ? join(xdg, "stepgate") : envPaths("stepgate", { suffix: "" }).cache;
  const temporary = join(tmpdir(), `stepgate-${process.getuid?.() ?? "user"}`);
  return [cache, temporary].filter((folder) => isAbsolute(folder));
}

/**
 * Writes an addon where the system can load it and returns the file's path. A file of an earlier start is used again
 * only when it holds these very bytes. Throws when no folder can be used, naming each with its reason.
 */
export function unpackAddon(name: string, bytes: Uint8Array, folders: readonly string[] = addonFolders()): string {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const problems: string[] = [];
  for (const folder of folders) {
    try {
      makePrivateFolder(folder);
      const home = join(folder, `native-${hash}`);
      makePrivateFolder(home);
      const file = join(home, `${name}.node`);
      if (!holdsBytes(file, bytes)) replaceFile(file, bytes);
      return file;
    } catch (error) {
      problems.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(
    `The native module ${name} could not be unpacked. Set XDG_CACHE_HOME or STEPGATE_HOME to a folder of your own ` +
      `that can be written to. Tried:\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
  );
}

/** Nobody else may swap the file between the check and the load, so the folder must be ours, and closed to others. */
function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new Error("is not a folder");
  if (process.getuid && found.uid !== process.getuid()) throw new Error(`belongs to another user (${found.uid})`);
  if (process.getuid && (found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

function holdsBytes(file: string, bytes: Uint8Array): boolean {
  try {
    return readFileSync(file).equals(bytes);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

/** The rename is atomic: a process that starts at the same moment sees no file or a whole one. */
function replaceFile(file: string, bytes: Uint8Array): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, bytes, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
