import { closeSync, openSync, readFileSync, realpathSync, renameSync, unlinkSync, writeSync } from "node:fs";
import type { MintedKey } from "../contract/key.ts";
import { CliError, reasonOf, systemCode } from "./cli-error.ts";

/** The file is made before the key, so that no key exists whose secret could not be kept. */
export async function mintInto(file: string, mint: () => Promise<MintedKey>): Promise<MintedKey> {
  const descriptor = openNew(file);
  try {
    const key = await mint();
    writeSync(descriptor, `${key.secret}\n`);
    return key;
  } catch (error) {
    unlinkSync(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * As mintInto, but a file that holds the very key which `mint` replaces, told by its clear prefix, gets the new secret in
 * its place: one never sees it half written. Any other file stays as it is, and no key is made.
 */
export async function rotateInto(
  file: string,
  prefix: () => Promise<string>,
  mint: () => Promise<MintedKey>,
): Promise<MintedKey> {
  const held = readSecret(file);
  if (held === null || !held.startsWith(await prefix())) return mintInto(file, mint);
  const place = realpathSync(file);
  const key = await mintInto(`${place}.new`, mint);
  renameSync(`${place}.new`, place);
  return key;
}

/** The secret that a file consists of; null of every other file and of none. */
function readSecret(file: string): string | null {
  try {
    const text = readFileSync(file, "utf8").trim();
    return /^sgt_[\w-]{32}$/.test(text) ? text : null;
  } catch {
    return null;
  }
}

function openNew(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    const isThere = systemCode(error) === "EEXIST";
    const reason = isThere ? "there is one already, and it is not overwritten" : reasonOf(error);
    throw new CliError("usage", `The file ${file} can't be made: ${reason}.`);
  }
}
