import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { sqliteBinding, workerEntry } from "./native/entry-points.ts";
import { findNodeMistake } from "./native/node-abi.ts";
import { isPackaged } from "./native/sea.ts";
import { startSandboxChild } from "./sandbox/start-child.ts";

/** One line of `stepgate doctor` (contract 18). */
export type Check = { name: string; status: "ok" | "warn" | "fail"; message: string; fix?: string };

/** Longer than the slowest start that was seen, so that a part that hangs is a finding and not a hanging doctor. */
const patienceMs = 10_000;

/** The executable unpacks its native modules; a checkout has them from npm. */
const nativeFix = isPackaged
  ? "Set STEPGATE_HOME to a folder of your own on a disk that is not mounted noexec"
  : "Run npm ci in the checkout";

/** Starts each part that has native code and uses it once. Never throws: what fails is a check with its fix. */
export async function selfCheck(): Promise<{ ok: boolean; checks: Check[] }> {
  const checks = await Promise.all([
    examine("node", checkNode, "Start Stepgate with ./bin/stepgate"),
    examine("sqlite", checkSqlite, nativeFix),
    examine("sandbox", checkSandbox, nativeFix),
  ]);
  return { ok: checks.every((check) => check.status !== "fail"), checks };
}

async function examine(name: string, run: () => Promise<string>, fix: string): Promise<Check> {
  try {
    return { name, status: "ok", message: await run() };
  } catch (error) {
    return { name, status: "fail", message: describe(error), fix };
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "AbortError" ? `No answer within ${patienceMs / 1000} s` : error.message;
}

async function checkNode(): Promise<string> {
  const mistake = findNodeMistake();
  if (mistake) throw new Error(mistake);
  return `Node ${process.versions.node}, ABI ${process.versions.modules}`;
}

async function checkSqlite(): Promise<string> {
  const { filename, options } = workerEntry("check-sqlite");
  const worker = new Worker(filename, { ...options, workerData: sqliteBinding() });
  try {
    const [version] = await once(worker, "message", { signal: AbortSignal.timeout(patienceMs) });
    return `SQLite ${version} opens and answers in a worker thread`;
  } finally {
    await worker.terminate();
  }
}

async function checkSandbox(): Promise<string> {
  const child = startSandboxChild();
  try {
    const code = "export const run = ({ left, right }) => left + right;";
    const input = JSON.stringify({ left: 1, right: 1 });
    const timer = setTimeout(() => child.stop(`No answer within ${patienceMs / 1000} s`), patienceMs);
    const answer = await child.run({ code, input, now: 0 });
    clearTimeout(timer);
    if (answer.kind !== "result") throw new Error(answer.kind === "lost" ? answer.reason : answer.error.message);
    if (answer.result !== "2") throw new Error(`The sandbox says that 1 + 1 is ${answer.result}.`);
    return "A script runs in an isolate of a child process";
  } finally {
    child.stop();
  }
}
