import { type FileHandle, open, stat } from "node:fs/promises";
import { CliError, systemCode } from "../cli-error.ts";
import { safeText } from "../safe-text.ts";

/** The log and what came before it: `daemon.log.1` to `.4` (cli.md, Files). */
const files = 5;

/** No file of a log is longer, but for one line (10 MB). */
const maxFileBytes = 16 * 1024 * 1024;

/** One line of the daemon's log; a line that is no JSON, such as a crash's, is all message. */
export type LogLine = { time: string | null; level: string; msg: string; fields: Readonly<Record<string, unknown>> };

/** The last lines that were written after a place in a log, made safe for a terminal. */
export async function lastLines(file: string, from: number, count: number): Promise<string> {
  const { lines } = await readFrom(file, from);
  return lines.slice(-count).map(safeText).join("\n");
}

/** The length of a file; 0 where there is none. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  return found?.size ?? 0;
}

/** The last lines of a log that are wanted, oldest first; older files are read as long as there are too few. */
export async function readWanted(
  file: string,
  count: number,
  isWanted: (line: LogLine) => boolean,
): Promise<{ lines: LogLine[]; place: LogPlace }> {
  const { lines, next, id } = await readFrom(file, 0);
  let wanted = lines.map(parseLine).filter(isWanted);
  for (let age = 1; age < files && wanted.length < count; age++) {
    const older = await readFrom(`${file}.${age}`, 0);
    if (older.id === null) break;
    wanted = older.lines.map(parseLine).filter(isWanted).concat(wanted);
  }
  return { lines: count === 0 ? [] : wanted.slice(-count), place: { next, id } };
}

/** Up to where a log was read; `id` tells the file from the one that takes its name. */
export type LogPlace = { next: number; id: number | null };

/** What was written since; the rest of a file that was moved away meanwhile comes first. */
export async function readOn(file: string, { next, id }: LogPlace): Promise<{ lines: string[]; place: LogPlace }> {
  const read = await readFrom(file, next);
  if (id === null || read.id === null || read.id === id) return { lines: read.lines, place: read };
  const moved = await readFrom(`${file}.1`, next);
  const fresh = await readFrom(file, 0);
  return { lines: [...(moved.id === id ? moved.lines : []), ...fresh.lines], place: fresh };
}

/** Whole lines from a place on. A file that is shorter than that has begun anew and is read from its start. */
async function readFrom(file: string, from: number): Promise<{ lines: string[] } & LogPlace> {
  try {
    await using handle = await open(file);
    return await readLines(handle, from);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return { lines: [], next: 0, id: null };
    throw new CliError("failure", `The log ${file} can't be read: ${systemCode(error) ?? String(error)}.`);
  }
}

async function readLines(handle: FileHandle, from: number): Promise<{ lines: string[] } & LogPlace> {
  const { size, ino } = await handle.stat();
  const start = from > size ? 0 : from;
  const buffer = Buffer.alloc(Math.min(size - start, maxFileBytes));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  const read = buffer.subarray(0, bytesRead);
  const whole = read.subarray(0, read.lastIndexOf(0x0a) + 1);
  return { lines: whole.toString("utf8").split("\n").slice(0, -1), next: start + whole.length, id: ino };
}

/** What a line says. */
export function parseLine(text: string): LogLine {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) {
      const { time, level, msg } = fields as Record<string, unknown>;
      if (typeof level === "string") {
        const said = { time: typeof time === "string" ? time : null, level, msg: typeof msg === "string" ? msg : "" };
        return { ...said, fields: { ...fields } };
      }
    }
  } catch {
    // Written by the process itself, not by the log.
  }
  return { time: null, level: "error", msg: text, fields: { time: null, level: "error", msg: text } };
}
