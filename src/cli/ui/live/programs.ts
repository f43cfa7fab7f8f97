import { spawn } from "node:child_process";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { reasonOf } from "../../cli-error.ts";
import { launcherPath } from "../../mcp/launcher.ts";
import { safeText } from "../../safe-text.ts";

/** How much of the log's end is read. */
const logBytes = 64 * 1024;

/** Runs a program that has the terminal to itself, a file or a text given to it; resolves to its exit code. */
async function runProgram(
  command: string,
  file: string | null,
  input: string | null,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  // The variable may hold a command with arguments, as git and others take it.
  const script = file === null ? command : `${command} "$0"`;
  const stdin = input === null ? "inherit" : "pipe";
  const child = spawn("/bin/sh", ["-c", script, ...(file === null ? [] : [file])], {
    stdio: [stdin, "inherit", "inherit"],
    env,
  });
  child.stdin?.on("error", () => undefined).end(input);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", reject);
  child.on("exit", (code) => resolve(code ?? 1));
  return promise;
}

/** Shows a text in the person's pager; what would steer the terminal is written out. */
export async function showInPager(content: string, env: NodeJS.ProcessEnv): Promise<void> {
  const pager = env["STEPGATE_PAGER"] || env["PAGER"] || "less";
  const lines = content.split("\n").map(safeText);
  await runProgram(pager, null, `${lines.join("\n")}\n`, env);
}

export type Edited = { input: unknown; problem: string | null };

/** Has a person change a JSON value in their editor. `input` is undefined where nothing was changed or it is no object. */
export async function editJson(value: unknown, env: NodeJS.ProcessEnv): Promise<Edited> {
  const folder = await mkdtemp(join(tmpdir(), "stepgate-input-"));
  const file = join(folder, "input.json");
  try {
    const before = `${JSON.stringify(value, null, 2)}\n`;
    await writeFile(file, before, { mode: 0o600 });
    const code = await runProgram(env["VISUAL"] || env["EDITOR"] || "vi", file, null, env);
    if (code !== 0) return { input: undefined, problem: `The editor ended with ${code}: nothing was changed` };
    const after = await readFile(file, "utf8");
    if (after === before) return { input: undefined, problem: null };
    const input: unknown = JSON.parse(after);
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    return isObject ? { input, problem: null } : { input: undefined, problem: "The input has to be a JSON object" };
  } catch (error) {
    return { input: undefined, problem: `The input is no JSON: ${reasonOf(error)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a command said of its failure, in one line: behind "did not start:" the daemon's own words are the reason. */
function sayProblem(said: string): string {
  const lines = said.split("\n").map((line) => line.trim().replace(/^stepgate: /, ""));
  return lines.filter(Boolean).join(" ");
}

/** Runs `stepgate start`; null when it went well, else what it said. */
export async function startDaemon(env: NodeJS.ProcessEnv): Promise<string | null> {
  const child = spawn(launcherPath(), ["start"], { stdio: ["ignore", "ignore", "pipe"], env });
  const said = text(child.stderr);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", reject);
  child.on("exit", (code) => resolve(code ?? 1));
  const code = await promise;
  return code === 0 ? null : sayProblem(await said) || `stepgate start ended with ${code}`;
}

/** The last lines of a log file; one line that says so where there is none. */
export async function readLog(file: string): Promise<string[]> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const from = Math.max(0, size - logBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size, logBytes)), 0, undefined, from);
    const lines = buffer.subarray(0, bytesRead).toString("utf8").split("\n").filter(Boolean);
    return lines.slice(from === 0 ? 0 : 1).slice(-200);
  } catch (error) {
    return [`The log ${file} can't be read: ${reasonOf(error)}`];
  }
}
