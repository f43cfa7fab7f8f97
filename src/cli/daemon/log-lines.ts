import { open, stat } from "node:fs/promises";
import { CliError, systemCode } from "../cli-error.ts";
import { safeText } from "../safe-text.ts";

/** How much of a log's end is read for its last lines. */
const tailBytes = 4 * 1024 * 1024;

/** One line of the daemon's log; a line that is no JSON, such as a crash's, is all message. */
export type LogLine = { time: string | null; level: string; msg: string; text: string };

/** The last lines of a log, made safe for a terminal; empty where there is none. */
export async function lastLines(file: string, count: number): Promise<string> {
  const lines = (await readTail(file)).slice(-count);
  return lines.map(safeText).join("\n");
}

/** The lines at a log's end, oldest first. */
async function readTail(file: string): Promise<string[]> {
  const { lines } = await readFrom(file, null);
  return lines;
}

/**
 * Whole lines from a place in the file on, null for its end; `next` is where the next call goes on. A file that is shorter
 * than that has begun anew and is read from its start.
 */
export async function readFrom(file: string, from: number | null): Promise<{ lines: string[]; next: number }> {
  try {
    const { size } = await stat(file);
    const start = from === null ? Math.max(0, size - tailBytes) : from > size ? 0 : from;
    await using handle = await open(file);
    const buffer = Buffer.alloc(Math.min(size - start, tailBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const read = buffer.subarray(0, bytesRead);
    const whole = read.subarray(0, read.lastIndexOf(0x0a) + 1);
    const lines = whole.toString("utf8").split("\n").slice(0, -1);
    const isCut = from === null && start > 0;
    return { lines: isCut ? lines.slice(1) : lines, next: start + whole.length };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return { lines: [], next: 0 };
    throw new CliError("failure", `The log ${file} can't be read: ${systemCode(error) ?? String(error)}.`);
  }
}

/** What a line says. */
export function parseLine(text: string): LogLine {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) {
      const { time, level, msg } = fields as Record<string, unknown>;
      if (typeof level === "string") {
        return { time: typeof time === "string" ? time : null, level, msg: typeof msg === "string" ? msg : "", text };
      }
    }
  } catch {
    // Written by the process itself, not by the log.
  }
  return { time: null, level: "error", msg: text, text };
}
