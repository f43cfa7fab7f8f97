import { readFileSync } from "node:fs";
import { ApiError } from "../../contract/errors.ts";
import { digestOf, unpackFiles } from "../../store/sqlite/backup-files.ts";
import type { DatabasePlace } from "../../store/sqlite/connection.ts";
import { openFileFolder, pathOfFile } from "./file-folder.ts";

/** The bytes of a digest in a folder; null where they can't be read, too: a backup takes all that is left. */
export function readForBackup(folder: string, digest: string): Uint8Array | null {
  try {
    return readFileSync(pathOfFile(folder, digest));
  } catch {
    return null;
  }
}

/**
 * Writes the contents of files in a backup to a folder, each whole; gives their number. Throws BAD_REQUEST for a backup
 * in which one is damaged. Bytes that nothing refers to harm nobody, so this may come before the database is replaced.
 */
export async function restoreContent(folder: string, backup: DatabasePlace): Promise<number> {
  const content = openFileFolder(folder);
  try {
    return await unpackFiles(backup, async (digest, bytes) => {
      const found = await content.read(digest);
      if (found && digestOf(found) === digest) return;
      // It may be there and be damaged.
      await content.remove(digest);
      await content.write(digest, bytes);
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError("BAD_REQUEST", `${backup.file} can't be restored, and the database stays as it is: ${reason}`);
  }
}
