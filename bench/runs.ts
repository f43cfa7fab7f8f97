// Completed runs a second at 64 clients beside what this disk can commit one row at a time, in one run of this program.
// A ratio above 1.0 says that durability is shared among runs: the fsync is no longer the limit.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { daemonUrl, freshKey, postRuns, stepgate, untilSucceeded } from "./daemon.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3);
const seconds = Number(process.env["BENCH_SECONDS"] ?? 3);
const clients = 64;
const folder = mkdtempSync(join(tmpdir(), "stepgate-bench-"));

/** One row of 487 bytes a transaction, WAL, synchronous=FULL: the physical limit of commits. */
function singleRowCommits(): number {
  const db = new Database(join(folder, "commits.db"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec("CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, payload TEXT)");
  const insert = db.prepare("INSERT INTO row (payload) VALUES (?)");
  const payload = "x".repeat(487);
  const until = performance.now() + seconds * 1000;
  let commits = 0;
  for (; performance.now() < until; commits += 1) insert.run(payload);
  db.close();
  return commits / seconds;
}

const workflow = `name: Bench
slug: bench
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: n, type: number, required: true}]}}
  - {id: sum, type: set, data: {assignments: [{id: a, key: n, value: "{{action_input.n}}", type: number}]}}
  - {id: big, type: condition, data: {combinator: AND, conditions: [{id: c, field: "{{sum.n}}", operator: NUMBER_IS_GREATER_THAN, value: 0}]}}
  - {id: result, type: return_output, data: {properties: [{name: n, type: number, value: "{{sum.n}}"}]}}
edges: [action_input -> sum, sum -> big, big.true -> result]
`;

const home = join(folder, "home");
const daemon = spawn(...stepgate(["serve", "--port", "0"], home));
try {
  const url = await daemonUrl(home);
  writeFileSync(join(folder, "bench.yaml"), workflow);
  const key = await freshKey(home, join(folder, "bench.yaml"));
  const ratios: number[] = [];
  // The first seconds compile the hot paths; they say nothing of a daemon that runs for weeks.
  await postRuns(url, key, clients, seconds * 1000);
  await untilSucceeded(url, key);
  for (let round = 1; round <= rounds; round += 1) {
    const commits = singleRowCommits();
    const started = performance.now();
    const accepted = await postRuns(url, key, clients, seconds * 1000);
    await untilSucceeded(url, key);
    const runs = accepted / ((performance.now() - started) / 1000);
    ratios.push(runs / commits);
    const figures = [commits, runs].map((figure) => figure.toFixed(0).padStart(7));
    console.log(
      `round ${round}: ${figures[0]} one-row FULL commits/s, ${figures[1]} runs/s, ratio ${(runs / commits).toFixed(2)}`,
    );
  }
  const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
  console.log(`completed runs per one-row commit, median of ${rounds}: ${median.toFixed(2)} (goal: 1.0 or more)`);
} finally {
  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}
