import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { resolveHome } from "../home.ts";

/**
 * Folders that may hold unpacked addons, the preferred one first: the cache folder and, unless STEPGATE_HOME keeps
 * everything in one place, a folder of the user's own in the system's temporary one, for users without a home.
 */
export function addonFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  const { cacheDir } = resolveHome(env);
  const temporary = join(tmpdir(), `stepgate-${process.getuid?.() ?? "user"}`);
  return (env["STEPGATE_HOME"] ? [cacheDir] : [cacheDir, temporary]).filter((folder) => isAbsolute(folder));
}

/** A native module inside the executable: its SHA-256 in hex, and its bytes, which few starts need. */
export type PackedAddon = { sha256: string; read: () => Uint8Array };

/**
 * Writes an addon where the system can load it and returns the file's path. A file of an earlier start is used again
 * only when its bytes have the addon's hash. Throws when no folder can be used, naming each with its reason.
 */
export function unpackAddon(name: string, addon: PackedAddon, folders: readonly string[] = addonFolders()): string {
  const problems: string[] = [];
  for (const folder of folders) {
    try {
      makePrivateFolder(folder);
      const home = join(folder, `native-${addon.sha256.slice(0, 16)}`);
      makePrivateFolder(home);
      const file = join(home, `${name}.node`);
      if (hashOf(file) !== addon.sha256) replaceFile(file, addon.read());
      return file;
    } catch (error) {
      problems.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(
    `The native module ${name} could not be unpacked. Set STEPGATE_HOME to a folder of your own that can be written ` +
      `to. Tried ${problems.join("; ")}`,
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

/** Null when there is no such file. Piece by piece: a daemon would keep the memory of the whole. */
function hashOf(file: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  try {
    const hash = createHash("sha256");
    const piece = Buffer.allocUnsafe(64 * 1024);
    for (let length = readSync(descriptor, piece); length > 0; length = readSync(descriptor, piece)) {
      hash.update(piece.subarray(0, length));
    }
    return hash.digest("hex");
  } finally {
    closeSync(descriptor);
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
