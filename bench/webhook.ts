// Synchronous webhooks a second (set, condition, respond; the run durable before its answer) beside a bare hono server
// that parses the same body and answers, both under the same load in one run of this program.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { daemonUrl, publishHook, stepgate } from "./daemon.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3);
const seconds = Number(process.env["BENCH_SECONDS"] ?? 3);
const clients = 64;
const folder = mkdtempSync(join(tmpdir(), "stepgate-bench-"));
const body = '{"n":1,"name":"bench"}';

const workflow = `name: Bench
nodes:
  - {id: trigger, type: trigger, data: {kind: webhook, respondMode: respond_node}}
  - {id: sum, type: set, data: {assignments: [{id: a, key: n, value: "{{trigger.output.body.n}}", type: number}]}}
  - {id: big, type: condition, data: {combinator: AND, conditions: [{id: c, field: "{{sum.n}}", operator: NUMBER_IS_GREATER_THAN, value: 0}]}}
  - {id: answer, type: respond_to_webhook, data: {mode: json, body: {n: "{{sum.n}}"}}}
edges: [trigger -> sum, sum -> big, big.true -> answer]
`;

const bareServer = `
import { serve } from "@hono/node-server";
import { Hono } from "hono";
const app = new Hono();
app.post("/webhooks/:id", async (context) => context.json({ n: (await context.req.json()).n }));
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));
`;

/** Answers a second, and the time in ms that half and 99 % of them took at most. */
async function load(url: string): Promise<{ rate: number; p50: number; p99: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const started = performance.now();
      await send(agent, url);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

function send(agent: Agent, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        if (response.statusCode === 200 && text === '{"n":1}') resolve();
        else reject(new Error(`A webhook was answered with ${response.statusCode} ${text}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const home = join(folder, "home");
const daemon = spawn(...stepgate(["serve", "--port", "0"], home));
const bare = spawn(process.execPath, ["--input-type=module", "-e", bareServer], {
  cwd: import.meta.dirname,
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const port = await new Promise<string>((resolve) =>
    bare.stdout.once("data", (chunk) => resolve(String(chunk).trim())),
  );
  const bareUrl = `http://127.0.0.1:${port}/webhooks/bench`;
  await daemonUrl(home);
  const file = join(folder, "bench.yaml");
  writeFileSync(file, workflow);
  const url = publishHook(home, file);
  const ratios: number[] = [];
  // The first seconds compile the hot paths; they say nothing of a daemon that runs for weeks.
  await load(bareUrl);
  await load(url);
  for (let round = 1; round <= rounds; round += 1) {
    const plain = await load(bareUrl);
    const durable = await load(url);
    ratios.push(durable.rate / plain.rate);
    const times = `p50 ${durable.p50.toFixed(1)} ms, p99 ${durable.p99.toFixed(1)} ms`;
    console.log(
      `round ${round}: bare hono ${plain.rate.toFixed(0)}/s, synchronous webhook ${durable.rate.toFixed(0)}/s (${times}), ratio ${(durable.rate / plain.rate).toFixed(3)}`,
    );
  }
  const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
  console.log(`durable synchronous webhooks per answer of bare hono, median of ${rounds}: ${median.toFixed(3)}`);
} finally {
  bare.kill("SIGTERM");
  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}
