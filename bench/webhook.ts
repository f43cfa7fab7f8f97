// Synchronous webhooks a second (set, condition, respond; the run durable before its answer) beside a bare hono server
// that parses the same body and answers, both under the same load in one run of this program.
import { spawn } from "node:child_process";
import { withDaemon } from "./support/daemon.ts";
import { median, percentile, report } from "./support/figures.ts";
import { load, send } from "./support/load.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3);
const seconds = Number(process.env["BENCH_SECONDS"] ?? 3);
const clients = 64;
const sent = { method: "POST", headers: { "content-type": "application/json" }, body: '{"n":1,"name":"bench"}' };

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

/** Milliseconds of each call, of as many as all clients get answered in the time. */
async function callHook(url: string): Promise<number[]> {
  return load(clients, seconds * 1000, async (agent) => {
    const { status, text } = await send(agent, url, sent);
    if (status !== 200 || text !== '{"n":1}') throw new Error(`A webhook was answered with ${status} ${text}`);
  });
}

await withDaemon(async ({ publish }) => {
  const bare = spawn(process.execPath, ["--input-type=module", "-e", bareServer], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const port = await new Promise<string>((resolve) =>
      bare.stdout.once("data", (chunk) => resolve(String(chunk).trim())),
    );
    const { webhookUrl } = publish(workflow);
    if (webhookUrl === null) throw new Error("The workflow has no webhook");
    await compare(`http://127.0.0.1:${port}/webhooks/bench`, webhookUrl);
  } finally {
    bare.kill("SIGTERM");
  }
});

async function compare(bareUrl: string, url: string): Promise<void> {
  const ratios: number[] = [];
  // The first seconds compile the hot paths; they say nothing of a daemon that runs for weeks.
  await callHook(bareUrl);
  await callHook(url);
  for (let round = 1; round <= rounds; round += 1) {
    const plain = (await callHook(bareUrl)).length / seconds;
    const durable = await callHook(url);
    const rate = durable.length / seconds;
    ratios.push(rate / plain);
    const times = `p50 ${median(durable).toFixed(1)} ms, p99 ${percentile(durable, 0.99).toFixed(1)} ms`;
    console.log(
      `round ${round}: bare hono ${plain.toFixed(0)}/s, synchronous webhook ${rate.toFixed(0)}/s (${times}), ratio ${(rate / plain).toFixed(3)}`,
    );
  }
  report(`webhooks per answer of hono, median of ${rounds}`, median(ratios), "x");
}
