import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, it, onTestFinished } from "vitest";
import type { ConnectorBuild, ConnectorOperations } from "../../src/contract/connector-api.ts";
import { stepgate } from "../support/command-line.ts";
import { until } from "../support/http-service.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { generatedDescription, sampleManifest } from "../support/manifests.ts";

const clientInfo = { name: "stepgate-test", version: "1.0.0" };

it("ten megabytes with 800 operations and circles are built while the daemon goes on answering", async () => {
  const daemon = await liveDaemon();
  const file = join(daemon.folder, "things.json");
  const text = JSON.stringify(generatedDescription(800, 10 * 1024 * 1024));
  expect(text.length).toBeGreaterThan(10 * 1024 * 1024);
  writeFileSync(file, text);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const startedAt = performance.now();
  const built = await stepgate(daemon.folder, ["connectors", "build", file, "--json"]);
  delay.disable();
  const tookMs = performance.now() - startedAt;
  const build = JSON.parse(built.stdout) as ConnectorBuild;
  expect([built.code, build.status, build.connector_id, build.operations.length]).toEqual([
    0,
    "succeeded",
    "things",
    800,
  ]);
  // In the daemon's own thread it would be most of it; a share of it holds on a busy machine too.
  expect(delay.max / 1e6).toBeLessThan(tookMs / 4);
  const shown = await stepgate(daemon.folder, ["connectors", "show", "things", "--json"]);
  const { operations } = JSON.parse(shown.stdout) as ConnectorOperations;
  expect([operations.length, operations[3]?.operation_id]).toEqual([800, "thing_3"]);
}, 60_000);

it("the official clients of both eras build and read a connector", async () => {
  const daemon = await liveDaemon();
  const key = await daemon.mintKey();
  const url = new URL(`${daemon.url}/mcp`);
  const init = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
  const old = new OldClient(clientInfo);
  await old.connect(new OldTransport(url, init));
  const modern = new ModernClient(clientInfo, { versionNegotiation: { mode: "auto" } });
  await modern.connect(new ModernTransport(url, init));
  onTestFinished(async () => {
    await old.close();
    await modern.close();
  });
  // Both check an answer against the tool's output schema.
  for (const client of [old, modern]) {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["build_connector", "validate_connector"]));
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      if (result.isError) throw new Error(JSON.stringify(result));
      return result.structuredContent as Record<string, unknown>;
    };
    const definition = sampleManifest();
    expect(await call("validate_connector", { definition })).toMatchObject({ valid: true });
    const { build_id } = await call("build_connector", { definition });
    await until(async () => (await call("get_build_status", { build_id }))["status"] === "succeeded", 20_000);
    expect(await call("list_connectors", { query: "desk" })).toMatchObject({ connectors: [{ connector_id: "desk" }] });
    expect(await call("get_connector_operations", { connector_id: "desk" })).toMatchObject({
      operations: [{ operation_id: "get" }],
    });
    const named = { connector_id: "desk", operation_id: "get" };
    expect(await call("get_operation_schema", named)).toMatchObject({
      ...named,
      auth: { type: "none", required: false },
    });
  }
}, 60_000);
