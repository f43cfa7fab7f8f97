// What the executable costs before it does anything: its size, its start, its first answer, its memory at rest. Times are
// medians and ratios to a bare `node -e 0` of the same minute, so that they mean the same on every machine.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median, report } from "./support/figures.ts";

const binary = process.env["STEPGATE_BIN"] ?? fileURLToPath(new URL("../dist/stepgate", import.meta.url));
if (!existsSync(binary)) throw new Error("There is no executable: npm run package makes it");
const rounds = 15;
const home = mkdtempSync(join(tmpdir(), "stepgate-bench-start-"));
const env = { HOME: home, STEPGATE_HOME: home };

function timeOf(command: string, args: string[]): number {
  const begin = performance.now();
  if (spawnSync(command, args, { env, stdio: "ignore" }).status !== 0) throw new Error(`${command} failed`);
  return performance.now() - begin;
}

/** From the spawn to the first 200 over HTTP, and the memory three seconds later. */
async function serve(): Promise<{ firstAnswerMs: number; residentMb: number; anonymousMb: number }> {
  rmSync(join(home, "daemon.json"), { force: true });
  const begin = performance.now();
  const child = spawn(binary, ["serve", "--port", "0"], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  try {
    for (;;) {
      const url = existsSync(join(home, "daemon.json")) && readUrl();
      if (url && (await fetch(`${url}/healthz`)).ok) break;
      await sleep(2);
    }
    const firstAnswerMs = performance.now() - begin;
    await sleep(3_000);
    return { firstAnswerMs, ...memoryOf(child.pid ?? 0) };
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

function readUrl(): string | null {
  try {
    return (JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")) as { url: string }).url;
  } catch {
    return null;
  }
}

/** Anonymous memory is the daemon's own; the rest are pages of the executable, which the system may drop. Linux. */
function memoryOf(pid: number): { residentMb: number; anonymousMb: number } {
  if (process.platform !== "linux") return { residentMb: Number.NaN, anonymousMb: Number.NaN };
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const read = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1]) * 1024) / 1e6;
  return { residentMb: read("Rss"), anonymousMb: read("Anonymous") };
}

try {
  const bare: number[] = [];
  const version: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(timeOf(process.execPath, ["-e", "0"]));
    version.push(timeOf(binary, ["--version"]));
  }
  const served = [await serve(), await serve(), await serve()];
  report("executable", statSync(binary).size / 1e6, "MB", { most: 130 });
  report("node -e 0", median(bare), "ms");
  report("--version / node -e 0", median(version) / median(bare), "x", { most: 1.6 });
  const first = median(served.map(({ firstAnswerMs }) => firstAnswerMs));
  report("first answer after node -e 0", first - median(bare), "ms", { most: 200 });
  report("memory at rest (RSS)", median(served.map(({ residentMb }) => residentMb)), "MB", { most: 100 });
  report("  of it the daemon's own", median(served.map(({ anonymousMb }) => anonymousMb)), "MB");
  // Last, for it takes the longest.
  const compressed = spawnSync("sh", ["-c", `zstd -19 -T2 -c "${binary}" | wc -c`], { encoding: "utf8" });
  const bytes = Number(compressed.stdout);
  if (bytes > 1e6) report("executable, zstd -19", bytes / 1e6, "MB", { most: 45 });
} finally {
  rmSync(home, { recursive: true, force: true });
}
