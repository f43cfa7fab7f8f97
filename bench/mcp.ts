// The daemon's CPU for a tools/call beside the REST call of the same meaning, in one run of this program.
// A ratio near 1.0 says that the protocol costs little beyond what HTTP, the key and the operation cost anyway.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { daemonUrl, freshKey, stepgate } from "./daemon.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 7);
const calls = Number(process.env["BENCH_CALLS"] ?? 3000);
const folder = mkdtempSync(join(tmpdir(), "stepgate-bench-"));
const home = join(folder, "home");

const workflow = `name: Bench
slug: bench
description: Gives back what it was given.
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: n, type: number, required: true}]}}
  - {id: result, type: return_output, data: {properties: [{name: n, type: number, value: "{{action_input.n}}"}]}}
edges: [action_input -> result]
`;

type Call = { method: string; path: string; headers: Record<string, string>; body: string };

const toolCall = (params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
const params = { name: "get_action", arguments: { slug: "bench" } };
const modern = "2026-07-28";
const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const json = { "content-type": "application/json" };

const subjects: Record<"rest" | "handshake" | "modern", Call> = {
  rest: { method: "GET", path: "/api/v1/runtime/actions/bench", headers: {}, body: "" },
  handshake: { method: "POST", path: "/mcp", headers: json, body: toolCall(params) },
  modern: {
    method: "POST",
    path: "/mcp",
    headers: { ...json, "mcp-protocol-version": modern, "mcp-method": "tools/call", "mcp-name": "get_action" },
    body: toolCall({ ...params, _meta: meta }),
  },
};

/** CPU seconds of a process and its threads so far, as ps counts them: hundredths on Linux. */
function cpuSeconds(pid: number): number {
  if (process.platform === "linux") {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }
  const time = execFileSync("ps", ["-o", "time=", "-p", String(pid)], { encoding: "utf8" }).trim();
  return time.split(":").reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

async function send(agent: Agent, url: URL, key: string, { method, path, headers, body }: Call): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const length = body === "" ? {} : { "content-length": Buffer.byteLength(body) };
  const options = { agent, method, headers: { ...headers, ...length, authorization: `Bearer ${key}` } };
  const sent = request(new URL(path, url), options, (response) => {
    response.resume();
    response.on("end", () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))));
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

/** Microseconds of the daemon's CPU for one call, over many. */
async function measure(agent: Agent, url: URL, key: string, pid: number, call: Call): Promise<number> {
  const before = cpuSeconds(pid);
  for (let done = 0; done < calls; done += 1) await send(agent, url, key, call);
  return ((cpuSeconds(pid) - before) / calls) * 1e6;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const daemon = spawn(...stepgate(["serve", "--port", "0"], home));
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
try {
  const url = new URL(await daemonUrl(home));
  const [launcher, args, { env }] = stepgate(["status", "--json"], home);
  const { pid } = JSON.parse(execFileSync(launcher, args, { env, encoding: "utf8" })) as { pid: number };
  writeFileSync(join(folder, "bench.yaml"), workflow);
  const key = await freshKey(home, join(folder, "bench.yaml"));
  const costs = { rest: [] as number[], handshake: [] as number[], modern: [] as number[] };
  for (const call of Object.values(subjects)) await measure(agent, url, key, pid, call);
  for (let round = 1; round <= rounds; round += 1) {
    costs.rest.push(await measure(agent, url, key, pid, subjects.rest));
    costs.handshake.push(await measure(agent, url, key, pid, subjects.handshake));
    costs.modern.push(await measure(agent, url, key, pid, subjects.modern));
  }
  const rest = median(costs.rest);
  console.log(`GET /actions/:slug: ${rest.toFixed(0)} us of CPU, median of ${rounds} rounds of ${calls} calls`);
  for (const era of ["handshake", "modern"] as const) {
    const cost = median(costs[era]);
    console.log(`tools/call get_action, ${era} era: ${cost.toFixed(0)} us, ratio ${(cost / rest).toFixed(2)}`);
  }
} finally {
  agent.destroy();
  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}
