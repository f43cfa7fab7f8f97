import { chmodSync, existsSync, lstatSync, readdirSync, rmSync, statSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../contract/home.ts";
import type { Examined, Finding } from "./finding.ts";

const gib = 1024 ** 3;
const mib = 1024 ** 2;

/** Folders and files are open to this user alone (contract 17). */
export function checkModes({ home }: Examined): Finding {
  const folders = [...new Set([home.dataDir, home.configDir, home.stateDir])].filter((dir) => existsSync(dir));
  if (folders.length === 0) {
    return { name: "folders", status: "ok", message: `${home.dataDir} is made at the first start` };
  }
  const open = process.platform === "win32" ? [] : [...folders, ...filesIn(home)].filter(isOpen);
  if (open.length === 0) return { name: "folders", status: "ok", message: `${home.dataDir}, open to this user alone` };
  return {
    name: "folders",
    status: "warn",
    message: `Others may read ${open.join(", ")}`,
    fix: "stepgate doctor --fix takes their rights away",
    repair: () => open.forEach((path) => chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600)),
  };
}

/** Files that hold data, keys or settings, of this user's own: a link is not followed. */
function filesIn({ dataDir, configDir }: Home): string[] {
  const folders = [...new Set([dataDir, configDir])].filter((dir) => existsSync(dir));
  const names = /^(?:stepgate\.db|.*\.key$|config\.yaml$|daemon\.)/;
  return folders
    .flatMap((dir) =>
      readdirSync(dir)
        .filter((name) => names.test(name))
        .map((name) => join(dir, name)),
    )
    .filter((path) => lstatSync(path).isFile());
}

function isOpen(path: string): boolean {
  const { mode, uid } = statSync(path);
  return (mode & 0o077) !== 0 && uid === process.getuid?.();
}

/** What a daemon that was killed leaves behind; the next start takes it away, too. */
export function checkLeftovers({ home, status }: Examined, isLocked: boolean): Finding {
  const left = [home.socket, home.daemonFile].filter((path) => process.platform !== "win32" && existsSync(path));
  if (status) return { name: "daemon", status: "ok", message: `Runs as process ${status.pid} at ${status.url}` };
  if (isLocked) {
    const message = "A daemon holds the data and does not answer: it starts, stops or hangs";
    return {
      name: "daemon",
      status: "warn",
      message,
      fix: "Wait a moment; else end the process that daemon.json names",
    };
  }
  if (left.length === 0) return { name: "daemon", status: "ok", message: "Is not running" };
  return {
    name: "daemon",
    status: "warn",
    message: `Is not running, and left ${left.join(", ")}`,
    fix: "stepgate doctor --fix takes them away",
    repair: () => left.forEach((path) => rmSync(path, { force: true })),
  };
}

export function checkDisk({ home }: Examined): Finding[] {
  if (!existsSync(home.dataDir)) return [];
  const { bavail, bsize } = statfsSync(home.dataDir);
  const free = bavail * bsize;
  const size = sizeOf(home.database);
  const wal = sizeOf(`${home.database}-wal`);
  const message = `${showBytes(free)} free; the database has ${showBytes(size)}`;
  const disk: Finding =
    free > gib
      ? { name: "disk", status: "ok", message }
      : {
          name: "disk",
          status: free > 0.1 * gib ? "warn" : "fail",
          message,
          fix: "Make room, or lower retention.runs",
        };
  const log: Finding =
    wal < 256 * mib
      ? { name: "wal", status: "ok", message: `${showBytes(wal)} in the database's log of writes` }
      : {
          name: "wal",
          status: "warn",
          message: `${showBytes(wal)} in the database's log of writes`,
          fix: "Restart the daemon: a start writes it into the database",
        };
  return [disk, log];
}

/** A clock that went back makes waits long and expiries late. */
export function checkClock({ home }: Examined): Finding {
  const written = statSync(home.database, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const ahead = written - Date.now();
  if (ahead < 60_000) return { name: "clock", status: "ok", message: new Date().toISOString() };
  const message = `The database was written ${Math.round(ahead / 60_000)} minutes from now: the clock went back`;
  return { name: "clock", status: "warn", message, fix: "Set the machine's clock" };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function showBytes(bytes: number): string {
  if (bytes < mib) return `${Math.ceil(bytes / 1024)} KiB`;
  return bytes < gib ? `${(bytes / mib).toFixed(1)} MiB` : `${(bytes / gib).toFixed(1)} GiB`;
}
