// Completed runs a second at 64 clients beside what this disk can commit one row at a time, in one run of this program.
// A ratio above 1.0 says that durability is shared among runs: the fsync is no longer the limit. It can't come about where
// an fsync costs nearly nothing, as on many virtual machines: there the processor is the limit of both.
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { withDaemon } from "./support/daemon.ts";
import { median, report } from "./support/figures.ts";
import { load, send } from "./support/load.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3);
const seconds = Number(process.env["BENCH_SECONDS"] ?? 3);
const clients = 64;

/** One row of 487 bytes a transaction, WAL, synchronous=FULL: the physical limit of commits. */
function singleRowCommits(folder: string): number {
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

/** Starts runs for so long; the number that was accepted. */
async function postRuns(url: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const sent = { method: "POST", headers, body: '{"input":{"n":1}}' };
  const times = await load(clients, seconds * 1000, async (agent) => {
    const { status } = await send(agent, `${url}/api/v1/runtime/actions/bench/run`, sent);
    if (status !== 202) throw new Error(`A run was answered with ${status}`);
  });
  return times.length;
}

/** Waits until no run is on its way any more; every one of them has to have succeeded. */
async function untilSucceeded(url: string, key: string): Promise<void> {
  const count = async (status: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${url}/api/v1/runtime/runs?status=${status}&limit=1`, { headers });
    return ((await response.json()) as { total: number }).total;
  };
  for (;;) {
    const [accepted, running, failed] = await Promise.all([count("accepted"), count("running"), count("failed")]);
    if (failed > 0) throw new Error(`${failed} runs failed`);
    if (accepted === 0 && running === 0) return;
    await setTimeout(5);
  }
}

await withDaemon(async ({ url, folder, publish, mintKey }) => {
  publish(workflow);
  const key = mintKey();
  const ratios: number[] = [];
  // The first seconds compile the hot paths; they say nothing of a daemon that runs for weeks.
  await postRuns(url, key);
  await untilSucceeded(url, key);
  for (let round = 1; round <= rounds; round += 1) {
    const commits = singleRowCommits(folder);
    const startedAt = performance.now();
    const accepted = await postRuns(url, key);
    await untilSucceeded(url, key);
    const runs = accepted / ((performance.now() - startedAt) / 1000);
    ratios.push(runs / commits);
    const figures = [commits, runs].map((figure) => figure.toFixed(0).padStart(7));
    console.log(
      `round ${round}: ${figures[0]} one-row FULL commits/s, ${figures[1]} runs/s, ratio ${(runs / commits).toFixed(2)}`,
    );
  }
  report(`runs per one-row commit, median of ${rounds}`, median(ratios), "x", { least: 1 });
});
