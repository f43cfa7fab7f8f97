import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, it, onTestFinished } from "vitest";
import { modern } from "../support/mcp.ts";
import { type LiveDaemon, liveDaemon } from "../support/live-daemon.ts";
import { greet } from "../support/workflows.ts";

const clientInfo = { name: "stepgate-test", version: "1.0.0" };
const unknownId = "00000000-0000-7000-8000-000000000000";

type CallResult = { content?: unknown; structuredContent?: unknown; isError?: boolean | undefined };

/** What the three official clients have in common, as a session of a test needs it. */
type Session = {
  instructions(): string | undefined;
  listTools(): Promise<{ name: string }[]>;
  call(name: string, args: Record<string, unknown>): Promise<CallResult>;
  readRun(id: string): Promise<unknown>;
  listResources(): Promise<{ uri: string }[]>;
  getPrompt(id: string): Promise<unknown>;
};

type Connect = (url: URL, key: string) => Promise<Session>;

function init(key: string): { requestInit: RequestInit } {
  return { requestInit: { headers: { authorization: `Bearer ${key}` } } };
}

const connectOld: Connect = async (url, key) => {
  const client = new OldClient(clientInfo);
  await client.connect(new OldTransport(url, init(key)));
  onTestFinished(async () => client.close());
  return {
    instructions: () => client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    // Its type has room for a result of 2024.
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as CallResult,
    readRun: async (id) => (await client.readResource({ uri: `run://${id}` })).contents[0],
    listResources: async () => (await client.listResources()).resources,
    getPrompt: async (id) => (await client.getPrompt({ name: "debug_run", arguments: { run_id: id } })).messages[0],
  };
};

function connectNew(mode: "legacy" | "auto" | { pin: string }): Connect {
  return async (url, key) => {
    const client = new ModernClient(clientInfo, { versionNegotiation: { mode } });
    await client.connect(new ModernTransport(url, init(key)));
    onTestFinished(async () => client.close());
    return {
      instructions: () => client.getInstructions(),
      listTools: async () => (await client.listTools()).tools,
      call: async (name, args) => client.callTool({ name, arguments: args }),
      readRun: async (id) => (await client.readResource({ uri: `run://${id}` })).contents[0],
      listResources: async () => (await client.listResources()).resources,
      getPrompt: async (id) => (await client.getPrompt({ name: "debug_run", arguments: { run_id: id } })).messages[0],
    };
  };
}

const clients: [name: string, connect: Connect][] = [
  ["the v1 client", connectOld],
  ["the v2 client in the handshake era", connectNew("legacy")],
  ["the v2 client that finds out the era", connectNew("auto")],
  ["the v2 client pinned to the modern era", connectNew({ pin: modern })],
];

async function prepare(): Promise<{ daemon: LiveDaemon; url: URL; key: string }> {
  const daemon = await liveDaemon();
  await daemon.publish(greet);
  return { daemon, url: new URL("/mcp", daemon.url), key: await daemon.mintKey() };
}

it.each(clients)("%s goes through a whole session and its own validation of every result", async (_, connect) => {
  const { url, key } = await prepare();
  const session = await connect(url, key);
  expect(session.instructions()).toContain("list_actions");
  // Listing first makes the clients check each result against its tool's output schema.
  expect((await session.listTools()).map(({ name }) => name)).toContain("run_action");
  const actions = await session.call("list_actions", {});
  expect(actions.structuredContent).toMatchObject({ actions: [{ slug: "greet" }], total: 1 });
  expect((await session.call("get_action", { slug: "greet" })).structuredContent).toMatchObject({ name: "Greet" });
  const started = await session.call("run_action", { slug: "greet", input: { name: "Ada" }, wait_seconds: 10 });
  expect(started.structuredContent).toMatchObject({ status: "succeeded", output: { text: "Hello Ada" } });
  const { run_id: id } = started.structuredContent as { run_id: string };
  expect((await session.call("get_run_status", { run_id: id })).structuredContent).toMatchObject({ run_id: id });
  expect((await session.call("get_run_events", { run_id: id })).structuredContent).toMatchObject({ next_after: 2 });
  expect((await session.call("list_runs", {})).structuredContent).toMatchObject({ total: 1 });
  expect((await session.listResources()).map(({ uri }) => uri)).toEqual([`run://${id}`]);
  expect(await session.readRun(id)).toMatchObject({ mimeType: "application/json" });
  expect(await session.getPrompt(id)).toMatchObject({ role: "user" });
});

it.each(clients)("%s gives a tool's errors to the model as results", async (_, connect) => {
  const { url, key } = await prepare();
  const session = await connect(url, key);
  await session.listTools();
  for (const [name, args, code] of [
    ["get_run_status", { run_id: unknownId }, "RUN_NOT_FOUND"],
    ["run_action", { slug: "greet", input: {} }, "INPUT_VALIDATION_FAILED"],
    ["run_action", { slug: "greet", dry_runn: true }, "BAD_REQUEST"],
  ] as const) {
    const { isError, content, structuredContent } = await session.call(name, args);
    expect([isError, structuredContent]).toEqual([true, undefined]);
    expect(content).toEqual([{ type: "text", text: expect.stringContaining(code) }]);
  }
});

it.each(clients)("%s runs an action that is a tool of its own", async (_, connect) => {
  const { url, key } = await prepare();
  url.searchParams.set("tools", "actions");
  const session = await connect(url, key);
  expect((await session.listTools()).map(({ name }) => name)).toContain("action_greet");
  const { structuredContent } = await session.call("action_greet", { name: "Ada" });
  expect(structuredContent).toMatchObject({ status: "accepted", input: { name: "Ada" } });
});

it.each(clients)("%s says plainly that a key is not taken", async (_, connect) => {
  const { url } = await prepare();
  await expect(connect(url, "sgt_wrong")).rejects.toThrow(/401|Missing or invalid API key/);
});
