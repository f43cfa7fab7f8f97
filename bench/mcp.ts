// The daemon's CPU for a tools/call beside the REST call of the same meaning, in one run of this program.
// A ratio near 1.0 says that the protocol costs little beyond what HTTP, the key and the operation cost anyway.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { withDaemon } from "./support/daemon.ts";
import { median, report } from "./support/figures.ts";
import { type Sent, send } from "./support/load.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 7);
const calls = Number(process.env["BENCH_CALLS"] ?? 3000);

const workflow = `name: Bench
slug: bench
description: Gives back what it was given.
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: n, type: number, required: true}]}}
  - {id: result, type: return_output, data: {properties: [{name: n, type: number, value: "{{action_input.n}}"}]}}
edges: [action_input -> result]
`;

type Call = Sent & { path: string };

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

type Target = { agent: Agent; url: string; key: string; pid: number };

/** Microseconds of the daemon's CPU for one call, over many. */
async function measure({ agent, url, key, pid }: Target, { path, headers, ...call }: Call): Promise<number> {
  const sent = { ...call, headers: { ...headers, authorization: `Bearer ${key}` } };
  const before = cpuSeconds(pid);
  for (let done = 0; done < calls; done += 1) {
    const { status } = await send(agent, new URL(path, url), sent);
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
  }
  return ((cpuSeconds(pid) - before) / calls) * 1e6;
}

await withDaemon(async ({ url, pid, publish, mintKey }) => {
  publish(workflow);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const target = { agent, url, key: mintKey(), pid };
  const costs = { rest: [] as number[], handshake: [] as number[], modern: [] as number[] };
  for (const call of Object.values(subjects)) await measure(target, call);
  for (let round = 1; round <= rounds; round += 1) {
    costs.rest.push(await measure(target, subjects.rest));
    costs.handshake.push(await measure(target, subjects.handshake));
    costs.modern.push(await measure(target, subjects.modern));
  }
  agent.destroy();
  const rest = median(costs.rest);
  console.log(`medians of ${rounds} rounds of ${calls} calls`);
  report("GET /actions/:slug", rest, "us of CPU");
  for (const era of ["handshake", "modern"] as const) {
    report(`tools/call get_action, ${era} era`, median(costs[era]), "us of CPU");
    report(`tools/call, ${era} era / GET`, median(costs[era]) / rest, "x");
  }
});
