import { type Stats, chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import envPaths from "env-paths";
import { ApiError } from "../contract/errors.ts";
import type { Home } from "../contract/home.ts";

/** Systems take 104 to 108 bytes as a socket's address. */
const longestSocketPath = 100;

/**
 * Where Stepgate's files are: all below `STEPGATE_HOME` when it is set, else in the system's folders for applications,
 * which the XDG variables move on every system (cli.md, Files). Socket, lock and daemon.json lie beside the database:
 * they have to be the same for every session that uses it, whatever its runtime folder (contract 10).
 */
export function resolveHome(env: NodeJS.ProcessEnv): Home {
  const { dataDir, configDir, stateDir, cacheDir } = resolveDirs(env);
  return {
    dataDir,
    configDir,
    stateDir,
    cacheDir,
    runDir: dataDir,
    database: join(dataDir, "stepgate.db"),
    masterKey: join(dataDir, "master.key"),
    socket: socketPath(dataDir),
    lock: join(dataDir, "daemon.lock"),
    daemonFile: join(dataDir, "daemon.json"),
    logFile: join(stateDir, "daemon.log"),
  };
}

function resolveDirs(env: NodeJS.ProcessEnv): Pick<Home, "dataDir" | "configDir" | "stateDir" | "cacheDir"> {
  const root = env["STEPGATE_HOME"] ? resolve(env["STEPGATE_HOME"]) : null;
  if (root) return { dataDir: root, configDir: root, stateDir: root, cacheDir: join(root, "cache") };
  const standard = envPaths("stepgate", { suffix: "" });
  // The XDG rules let relative paths count as unset.
  const place = (name: string, usual: string) =>
    isAbsolute(env[name] ?? "") ? join(env[name] ?? "", "stepgate") : usual;
  return {
    dataDir: place("XDG_DATA_HOME", standard.data),
    configDir: place("XDG_CONFIG_HOME", standard.config),
    stateDir: place("XDG_STATE_HOME", standard.log),
    cacheDir: place("XDG_CACHE_HOME", standard.cache),
  };
}

function socketPath(dataDir: string): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\stepgate-${shortName(dataDir)}`;
  const path = join(dataDir, "control.sock");
  if (Buffer.byteLength(path) <= longestSocketPath) return path;
  return join(tmpdir(), `stepgate-${process.getuid?.() ?? 0}`, `${shortName(dataDir)}.sock`);
}

function shortName(dataDir: string): string {
  // Not imported: to load all that the module exports would take each command 8 ms, and few need it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
}

/** Creates the folders that the daemon writes to, open to this user alone. Throws for one that is somebody else's. */
export function prepareHome(home: Home): void {
  for (const dir of new Set([home.dataDir, home.configDir, home.stateDir, home.runDir])) makePrivate(dir, statSync);
  const socketDir = dirname(home.socket);
  // Anybody can put a link into the temporary folder; a link in the user's own folders is the user's.
  if (process.platform !== "win32" && socketDir !== home.dataDir) makePrivate(socketDir, lstatSync);
}

function makePrivate(dir: string, look: (path: string) => Stats): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const found = look(dir);
  if (!process.getuid) return;
  const isOwn = found.isDirectory() && found.uid === process.getuid();
  // A folder with the sticky bit, such as the system's temporary one, is made to be shared: closing it would harm others.
  if (!isOwn || (found.mode & 0o1000) !== 0) {
    throw new ApiError("CONFLICT", `${dir} is not a folder of this user's own: set STEPGATE_HOME to one that is`);
  }
  if ((found.mode & 0o077) !== 0) chmodSync(dir, 0o700);
}
