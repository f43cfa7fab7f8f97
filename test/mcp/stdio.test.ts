import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, it, onTestFinished } from "vitest";
import { Client } from "../../src/cli/client.ts";
import type { KeyList } from "../../src/contract/key.ts";
import { maxBodyBytes } from "../../src/contract/limits.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { startDaemon } from "../../src/daemon/start.ts";
import { launcher } from "../support/command-line.ts";
import { type LiveDaemon, liveDaemon } from "../support/live-daemon.ts";
import type { RpcBody } from "../support/mcp.ts";
import { greet } from "../support/workflows.ts";

const clientInfo = { name: "stepgate-test", version: "1.0.0" };
const args = ["mcp", "stdio"];

/** Only what the program is told: no key and no address of the one who runs the tests. */
function environment(daemon: LiveDaemon, extra: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", STEPGATE_HOME: daemon.folder, ...extra };
}

async function daemonWithKey(workflow = greet): Promise<LiveDaemon> {
  const daemon = await liveDaemon();
  await daemon.publish(workflow);
  writeFileSync(join(daemon.folder, "mcp.key"), `${await daemon.mintKey()}\n`, { mode: 0o600 });
  return daemon;
}

type Talk = {
  child: ChildProcessWithoutNullStreams;
  send(message: unknown): void;
  next(): Promise<RpcBody>;
  /** Ends the input; gives the exit code. */
  end(): Promise<number>;
};

/** The program, talked to line by line. */
function talk(env: Record<string, string>): Talk {
  const child = spawn(launcher, args, { env });
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  onTestFinished(() => void child.kill());
  return {
    child,
    send: (message) => void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error("The program said nothing more");
      return JSON.parse(value) as RpcBody;
    },
    async end() {
      child.stdin.end();
      const [code] = await once(child, "exit");
      return Number(code);
    },
  };
}

const call = (id: number, name: string, given: Record<string, unknown> = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: given },
});

it("the v1 client works over the program that it starts, with the key of the data directory", async () => {
  const daemon = await daemonWithKey();
  const client = new OldClient(clientInfo);
  await client.connect(new OldTransport({ command: launcher, args, env: environment(daemon), stderr: "ignore" }));
  onTestFinished(async () => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("run_action");
  const run = await client.callTool({
    name: "run_action",
    arguments: { slug: "greet", input: { name: "Ada\u2028" }, wait_seconds: 10 },
  });
  expect(run.structuredContent).toMatchObject({ status: "succeeded", output: { text: "Hello Ada\u2028" } });
});

it.each(["legacy", "auto", { pin: "2026-07-28" }] as const)(
  "the v2 client in the mode %o works over the program, which adds the headers that the era asks for",
  async (mode) => {
    const daemon = await daemonWithKey();
    const client = new ModernClient(clientInfo, { versionNegotiation: { mode } });
    await client.connect(new ModernTransport({ command: launcher, args, env: environment(daemon), stderr: "ignore" }));
    onTestFinished(async () => client.close());
    await client.listTools();
    expect((await client.callTool({ name: "list_actions", arguments: {} })).structuredContent).toMatchObject({
      total: 1,
    });
    expect((await client.readResource({ uri: "action://greet" })).contents[0]).toMatchObject({ uri: "action://greet" });
  },
);

it("takes the key from the environment before that of the data directory", async () => {
  const daemon = await daemonWithKey();
  const reader = await daemon.mintKey(["actions:read"]);
  const { send, next } = talk(environment(daemon, { STEPGATE_API_KEY: reader }));
  send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const { tools } = (await next()).result as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(["list_actions", "get_action"]);
});

it("tells in JSON-RPC what is wrong: no daemon, no key, a key that is not taken, a line that is no JSON", async () => {
  const daemon = await liveDaemon();
  const without = talk(environment(daemon));
  without.send({ jsonrpc: "2.0", id: 1, method: "initialize" });
  expect((await without.next()).error).toMatchObject({ code: -32000, message: expect.stringContaining("no API key") });

  const wrong = talk(environment(daemon, { STEPGATE_API_KEY: "sgt_wrong" }));
  wrong.send({ jsonrpc: "2.0", id: "a", method: "initialize" });
  expect(await wrong.next()).toEqual({
    jsonrpc: "2.0",
    id: "a",
    error: {
      code: -32000,
      message: "Missing or invalid API key",
      data: { error: "Missing or invalid API key", code: "UNAUTHORIZED" },
    },
  });
  wrong.send("{");
  expect(await wrong.next()).toMatchObject({ id: null, error: { code: -32700 } });

  await daemon.stop();
  const gone = talk(environment(daemon, { STEPGATE_API_KEY: "sgt_any", STEPGATE_NO_AUTOSTART: "1" }));
  gone.send({ jsonrpc: "2.0", id: 2, method: "tools/list" });
  expect((await gone.next()).error?.message).toBe("The daemon is not running; start it with: stepgate start");
  expect(await gone.end()).toBe(0);
});

it("answers nothing to notifications, and what was asked before the input ended", async () => {
  const daemon = await daemonWithKey();
  const { send, next, end } = talk(environment(daemon));
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  send(call(1, "list_actions"));
  send(call(2, "get_action", { slug: "greet" }));
  const ended = end();
  const answers = [await next(), await next()].toSorted((a, b) => Number(a.id) - Number(b.id));
  expect(answers).toMatchObject([
    { id: 1, result: { structuredContent: { total: 1 } } },
    { id: 2, result: { structuredContent: { slug: "greet" } } },
  ]);
  expect(await ended).toBe(0);
});

it("answers a message that the daemon would not read with the id of its request", async () => {
  const daemon = await daemonWithKey();
  const { send, next } = talk(environment(daemon));
  send(call(7, "get_action", { slug: "x".repeat(maxBodyBytes.mcp) }));
  expect(await next()).toMatchObject({
    id: 7,
    error: { code: -32000, message: expect.stringContaining("larger than") },
  });
});

it("hands numbers on as they are written: one that outgrows every number is told, and no null takes its place", async () => {
  const daemon = await daemonWithKey();
  const { send, next } = talk(environment(daemon));
  const data = '{"mode": "duration", "unit": "days", "amount": 1e400}';
  const definition = `{"nodes": [{"id": "later", "type": "wait", "data": ${data}}], "edges": []}`;
  const given = `{"name": "Big", "definition": ${definition}, "validate_only": true}`;
  send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_workflow","arguments":${given}}}`);
  expect(await next()).toMatchObject({
    id: 1,
    result: {
      structuredContent: {
        errors: expect.arrayContaining([
          expect.objectContaining({ code: "not_json", path: "/nodes/0/data/amount", node_id: "later" }),
        ]),
      },
    },
  });
});

it("does not say of a call that broke off that it was not done", async () => {
  const broken = createServer((incoming) => incoming.on("data", () => incoming.socket.destroy()));
  await once(broken.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void broken.close());
  const address = broken.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const daemon = await liveDaemon();
  const { send, next } = talk(environment(daemon, { STEPGATE_API_KEY: "sgt_any", STEPGATE_URL: url }));
  send(call(1, "run_action", { slug: "greet" }));
  const words = expect.stringMatching(/broke before it had answered; what was asked may have been done: look/);
  expect(await next()).toMatchObject({ id: 1, error: { code: -32000, message: words } });
});

it("goes on with a new key in place of a revoked one, and with the daemon at another address", async () => {
  const daemon = await daemonWithKey();
  const home = resolveHome({ STEPGATE_HOME: daemon.folder });
  const control = new Client({ socketPath: home.socket }, { signal: new AbortController().signal });
  const { send, next } = talk(environment(daemon, { STEPGATE_NO_AUTOSTART: "1" }));
  const ask = async (id: number) => {
    send(call(id, "get_action", { slug: "greet" }));
    return next();
  };
  const answer = { result: { structuredContent: { slug: "greet" } } };
  expect(await ask(1)).toMatchObject(answer);

  const { keys } = await control.get<KeyList>("/control/keys");
  await control.post(`/control/keys/${keys[0]?.id}/revoke`);
  expect(await ask(2)).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringContaining("API key revoked") }] },
  });
  writeFileSync(join(daemon.folder, "mcp.key"), await daemon.mintKey());
  expect(await ask(3)).toMatchObject(answer);

  await daemon.stop();
  expect((await ask(4)).error?.message).toContain("The daemon is not running");
  const restart = async () =>
    startDaemon({ home, host: "127.0.0.1", port: 0, version: "0.0.0-test", logLevel: "warn" });
  const again = await restart();
  expect(await ask(5)).toMatchObject(answer);
  await again.stop();
  // Somebody else may listen at the old address by then.
  const stranger = createServer((_, response) => response.writeHead(404).end("<html>"));
  await once(stranger.listen(Number(new URL(again.url).port), "127.0.0.1"), "listening");
  onTestFinished(() => void stranger.close());
  const last = await restart();
  onTestFinished(async () => last.stop());
  expect(await ask(6)).toMatchObject(answer);
});

it("carries streams of changes: notices as lines, the client's leave, and the end of the input", async () => {
  const daemon = await daemonWithKey(gated);
  const client = new ModernClient(clientInfo, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const transport = new ModernTransport({ command: launcher, args, env: environment(daemon), stderr: "ignore" });
  await client.connect(transport);
  onTestFinished(async () => client.close());
  const started = await client.callTool({ name: "run_action", arguments: { slug: "gated", wait_seconds: 10 } });
  const { run_id: id } = started.structuredContent as { run_id: string };
  const { promise, resolve } = Promise.withResolvers<unknown>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri));
  const uri = `run://${id}`;
  const subscription = await client.listen({ resourceSubscriptions: [uri] });
  expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [uri] });
  await client.callTool({ name: "approve_run", arguments: { run_id: id, decision: "approved" } });
  expect(await promise).toBe(uri);
  await subscription.close();
  const kept = await client.listen({});
  await client.close();
  expect(await kept.closed).not.toBe("graceful");
});

const gated = `name: Gated
slug: gated
nodes:
  - {id: action_input, type: action_input}
  - {id: gate, type: noop, data: {requireApproval: true}}
  - {id: done, type: return_output, data: {properties: [{name: ok, type: boolean, value: "true"}]}}
edges: [action_input -> gate, gate -> done]
`;
