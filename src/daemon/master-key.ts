import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { ApiError } from "../contract/errors.ts";
import type { Home } from "../contract/home.ts";
import { masterKeyBytes } from "../engine/redaction/seal.ts";

const masterKeyVariable = "STEPGATE_MASTER_KEY";

/**
 * The key that seals originals: from the environment (base64 or hex), else from its file, which the first start creates.
 * Throws CONFLICT for a file that others can read, and for anything that is no key of 32 bytes: a daemon that made a new
 * key then could open nothing of what it has.
 */
export function loadMasterKey(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  randomBytes: (length: number) => Uint8Array,
): Uint8Array {
  const given = env[masterKeyVariable];
  if (given !== undefined && given !== "") return readKey(given, masterKeyVariable);
  createKeyFile(file, randomBytes);
  const { mode } = statSync(file);
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    throw new ApiError("CONFLICT", `The master key ${file} can be read by others: run chmod 600 ${file}`);
  }
  return readKey(readFileSync(file, "utf8"), file);
}

/** Whether a start would make a new key for a database of an earlier one, which was moved without it or had it in the environment. */
export function lacksMasterKey(
  { database, masterKey }: Pick<Home, "database" | "masterKey">,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return !env[masterKeyVariable] && existsSync(database) && !existsSync(masterKey);
}

/** Creates the file unless there is one: whole or not at all, whenever the process is stopped. */
function createKeyFile(file: string, randomBytes: (length: number) => Uint8Array): void {
  if (statSync(file, { throwIfNoEntry: false })) return;
  const draft = `${file}.${process.pid}`;
  const handle = openSync(draft, "w", 0o600);
  try {
    writeSync(handle, `${Buffer.from(randomBytes(masterKeyBytes)).toString("base64")}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  linkSync(draft, file);
  rmSync(draft);
}

function readKey(text: string, source: string): Uint8Array {
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, /^[\da-f]{64}$/i.test(trimmed) ? "hex" : "base64");
  if (key.length === masterKeyBytes && /^[\w+/=-]+$/.test(trimmed)) return new Uint8Array(key);
  throw new ApiError("CONFLICT", `${source} holds no master key: it has to be 32 bytes in base64 or hex`);
}
