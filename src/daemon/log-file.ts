import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

export type LogFileLimits = {
  /** A file that would grow beyond this begins anew. */
  maxBytes: number;
  /** How many files there are at most, the one that is written to among them. */
  files: number;
};

/** cli.md, Files: 10 MB, five of them. */
const usualLimits: LogFileLimits = { maxBytes: 10 * 1024 * 1024, files: 5 };

/**
 * A log on disk, for this user alone, that never outgrows its limits: `daemon.log` is written to, `daemon.log.1` is the
 * one before it. Each line is written when the call returns. A disk that refuses (full, gone) costs lines, never the daemon.
 */
export function openLogFile(file: string, limits: LogFileLimits = usualLimits): (line: string) => void {
  let open: { handle: number; size: number } | null = reopen();

  function reopen(): { handle: number; size: number } {
    const handle = openSync(file, "a", 0o600);
    return { handle, size: fstatSync(handle).size };
  }

  function rotate(handle: number): void {
    // Forgotten before it is closed: its number may soon be that of another file, which a line must never reach.
    open = null;
    closeSync(handle);
    rmSync(nameOf(file, limits.files - 1), { force: true });
    for (let age = limits.files - 2; age >= 0; age--) moveIfThere(nameOf(file, age), nameOf(file, age + 1));
  }

  return (line) => {
    const bytes = Buffer.from(line);
    try {
      if (open && open.size > 0 && open.size + bytes.length > limits.maxBytes) rotate(open.handle);
      open ??= reopen();
      writeSync(open.handle, bytes);
      open.size += bytes.length;
    } catch {
      // There is nowhere left to tell it.
    }
  };
}

/** The names of a log, the newest first. */
function nameOf(file: string, age: number): string {
  return age === 0 ? file : `${file}.${age}`;
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
