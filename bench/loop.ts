// A loop of 10,000 items with a body of three steps, journaled durably, beside writing rows of the same number and size
// into a bare SQLite table with as many rows to a FULL commit: what is left is the engine's own work.
import { join } from "node:path";
import Database from "better-sqlite3";
import { withDaemon } from "./support/daemon.ts";
import { report } from "./support/figures.ts";

const items = Number(process.env["BENCH_ITEMS"] ?? 10_000);
const rowsPerCommit = 256;

const workflow = `name: Loop
slug: loop
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: list, type: array, required: true}]}}
  - {id: each, type: loop, data: {items: "{{action_input.list}}"}}
  - {id: a, type: set, data: {assignments: [{id: a, key: n, value: "{{item.n}}"}]}}
  - {id: b, type: condition, data: {combinator: AND, conditions: [{id: c, field: "{{a.n}}", operator: NUMBER_IS_GREATER_THAN, value: -1}]}}
  - {id: c, type: set, data: {assignments: [{id: a, key: n, value: "{{a.n}}"}]}}
  - {id: result, type: return_output, data: {properties: [{name: total, type: integer, value: "{{each.totalItems}}"}]}}
edges: [action_input -> each, each.loop -> a, a -> b, b.true -> c, each.done -> result]
`;

await withDaemon(async ({ url, folder, publish, mintKey }) => {
  publish(workflow);
  const key = mintKey();
  const list = Array.from({ length: items }, (_, n) => ({ n }));
  const since = performance.now();
  const { status, events } = await runLoop(url, key, list);
  const rate = events / ((performance.now() - since) / 1000);
  console.log(`${status}: ${items} items, ${events} events, ${rate.toFixed(0)} events/s`);
  const bare = rowsPerSecond(join(folder, "rows.db"), events);
  console.log(`bare rows at ${rowsPerCommit} a FULL commit: ${bare.toFixed(0)}/s`);
  report("events of the loop per bare row", rate / bare, "x");
});

/** Runs the loop to its end; how it ended and the number of its last event. */
async function runLoop(url: string, key: string, input: unknown[]): Promise<{ status: string; events: number }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const call = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}/api/v1/runtime${path}`, { headers, ...post });
    return (await response.json()) as Record<string, unknown>;
  };
  const run = await call("/actions/loop/run", { input: { list: input } });
  let status = run["status"];
  while (status === "accepted" || status === "running") {
    ({ status } = await call(`/runs/${String(run["run_id"])}?wait=60&steps=none`));
  }
  const { next_after: last } = await call(`/runs/${String(run["run_id"])}/events?after=${input.length * 6}&limit=1000`);
  return { status: String(status), events: Number(last) };
}

function rowsPerSecond(file: string, rows: number): number {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec("CREATE TABLE row (run INTEGER, seq INTEGER, payload TEXT, PRIMARY KEY (run, seq)) WITHOUT ROWID");
  const insert = db.prepare("INSERT INTO row VALUES (1, ?, ?)");
  const payload = "x".repeat(180);
  const start = performance.now();
  for (let row = 0; row < rows; row += rowsPerCommit) {
    db.transaction(() => {
      for (let n = row; n < Math.min(rows, row + rowsPerCommit); n += 1) insert.run(n, payload);
    })();
  }
  db.close();
  return rows / ((performance.now() - start) / 1000);
}
