import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileContent } from "../../engine/files.ts";

/** Keeps bytes as files of this user alone, each under its digest, whole or not at all. */
export function openFileFolder(folder: string): FileContent {
  const pathOf = (digest: string): string => pathOfFile(folder, digest);
  return {
    async write(digest, bytes) {
      const path = pathOf(digest);
      if (await isThere(path, bytes.byteLength)) return;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${randomUUID()}`;
      await writeDurably(draft, bytes);
      await rename(draft, path);
      await syncFolder(dirname(path));
    },
    async read(digest) {
      return readFile(pathOf(digest)).then(
        (bytes) => new Uint8Array(bytes),
        (error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT") return null;
          throw error;
        },
      );
    },
    remove: async (digest) => rm(pathOf(digest), { force: true }),
  };
}

/** Where in a folder the bytes of a digest lie. */
export function pathOfFile(folder: string, digest: string): string {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error(`${digest} is no digest`);
  return join(folder, digest.slice(0, 2), digest);
}

async function isThere(path: string, bytes: number): Promise<boolean> {
  return stat(path).then(
    ({ size }) => size === bytes,
    () => false,
  );
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The new name is durable with its folder; where folders can't be opened, as on Windows, it is so by itself. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
