import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const fileName = "stepgate.yaml";

/**
 * The project's file: in the working directory or above it, up to the root of the git repository. Outside of a
 * repository the working directory alone counts: a folder above it may be anybody's.
 */
export function findProjectFile(workingDirectory: string): string | null {
  const start = resolve(workingDirectory);
  const folders = foldersToRoot(start) ?? [start];
  return folders.map((folder) => join(folder, fileName)).find((file) => existsSync(file)) ?? null;
}

/** The folder and those above it up to the one with `.git`; null where there is none. */
function foldersToRoot(start: string): string[] | null {
  const folders = [start];
  for (let folder = start; !existsSync(join(folder, ".git")); folder = dirname(folder)) {
    if (dirname(folder) === folder) return null;
    folders.push(dirname(folder));
  }
  return folders;
}
