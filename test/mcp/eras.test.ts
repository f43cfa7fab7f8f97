import { describe, expect, it } from "vitest";
import { modern, modernHeaders, modernMeta, modernRequest, postMcp, request, resultOf } from "../support/mcp.ts";
import { testRuntime } from "../support/runtime.ts";
import { greet } from "../support/workflows.ts";

const supported = [modern, "2025-11-25", "2025-06-18", "2025-03-26"];
const serverInfo = { name: "stepgate", title: "Stepgate", version: "0.0.0-test" };

describe("the handshake era", () => {
  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2025-11-25"],
    ["2099-01-01", "2025-11-25"],
    [undefined, "2025-11-25"],
  ])("initialize that asks for %s agrees on %s", async (requested, agreed) => {
    const runtime = await testRuntime();
    const params = { capabilities: {}, clientInfo: { name: "x", version: "1" }, protocolVersion: requested };
    const headers: Record<string, string> = requested ? { "mcp-protocol-version": requested } : {};
    expect(await resultOf(runtime, "initialize", params, { headers })).toEqual({
      protocolVersion: agreed,
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      serverInfo,
      instructions: expect.stringContaining("list_actions"),
    });
  });

  it("needs no handshake, no session and no Accept, and mints no session", async () => {
    const runtime = await testRuntime();
    const variants: Record<string, string>[] = [
      {},
      { accept: "text/html" },
      { accept: "application/json" },
      { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
      { "mcp-session-id": "made-up", "last-event-id": "7" },
    ];
    for (const headers of variants) {
      const answer = await request(runtime, "tools/call", { name: "list_actions" }, { headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("mcp-session-id")).toBeNull();
      expect(answer.body.result).toEqual({
        content: [{ type: "text", text: '{"actions":[],"total":0}' }],
        structuredContent: { actions: [], total: 0 },
      });
    }
  });

  it("answers with the id that it was asked with", async () => {
    const runtime = await testRuntime();
    for (const id of ["a", "", 0, -1, 7.5, 2 ** 53]) {
      expect((await postMcp(runtime, { jsonrpc: "2.0", id, method: "ping" })).body).toEqual({
        jsonrpc: "2.0",
        id,
        result: {},
      });
    }
  });
});

describe("the modern era", () => {
  it("discovers the server without a handshake", async () => {
    const runtime = await testRuntime();
    const { status, body } = await modernRequest(runtime, "server/discover");
    expect([status, body.result]).toEqual([
      200,
      {
        resultType: "complete",
        supportedVersions: supported,
        capabilities: {
          tools: {},
          resources: { subscribe: true },
          prompts: {},
          completions: {},
          extensions: { "io.modelcontextprotocol/tasks": {} },
        },
        instructions: expect.stringContaining("list_actions"),
        ttlMs: 3_600_000,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
      },
    ]);
  });

  it("says in each result that it is complete and whose it is, and of lists how long they may be kept", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const { run_id: id } = await runtime.runToEnd("greet", { name: "Ada" });
    const kept: [method: string, params: Record<string, unknown>, ttlMs: unknown][] = [
      ["tools/list", {}, 3_600_000],
      ["prompts/list", {}, 3_600_000],
      ["resources/list", {}, 5_000],
      ["resources/templates/list", {}, 3_600_000],
      ["resources/read", { uri: `run://${id}` }, 0],
      ["tools/call", { name: "list_actions" }, undefined],
      ["tools/call", { name: "get_action", arguments: { slug: "missing" } }, undefined],
      ["prompts/get", { name: "debug_run", arguments: { run_id: id } }, undefined],
    ];
    for (const [method, params, ttlMs] of kept) {
      const { body } = await modernRequest(runtime, method, params);
      const cacheScope = ttlMs === undefined ? undefined : "private";
      const meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
      expect([method, body.result]).toMatchObject([method, { resultType: "complete", _meta: meta }]);
      expect([method, body.result?.["ttlMs"], body.result?.["cacheScope"]]).toEqual([method, ttlMs, cacheScope]);
      const { resultType, ...old } = (await request(runtime, method, params)).body.result ?? {};
      expect([resultType, old["ttlMs"], old["_meta"]]).toEqual([undefined, undefined, undefined]);
    }
  });

  it("knows no handshake and no ping", async () => {
    const runtime = await testRuntime();
    for (const method of ["initialize", "ping"]) {
      const { status, body } = await modernRequest(runtime, method);
      expect([status, body.error?.code]).toEqual([404, -32601]);
    }
  });

  const { "io.modelcontextprotocol/protocolVersion": _version, ...unversioned } = modernMeta();
  const { "io.modelcontextprotocol/clientCapabilities": _capabilities, ...incapable } = modernMeta();
  const list = modernHeaders("tools/list");
  const encode = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

  const listed: [what: string, meta: unknown, headers: Record<string, string>, code: number | null][] = [
    ["all that there has to be", modernMeta(), list, null],
    ["spaces around a value", modernMeta(), { ...list, "mcp-method": "  tools/list " }, null],
    ["no version header", modernMeta(), { "mcp-method": "tools/list" }, -32020],
    ["another version in the header", modernMeta("2025-11-25"), list, -32020],
    ["no method header", modernMeta(), { "mcp-protocol-version": modern }, -32020],
    ["another method in the header", modernMeta(), { ...list, "mcp-method": "prompts/list" }, -32020],
    ["the method in capitals", modernMeta(), { ...list, "mcp-method": "TOOLS/LIST" }, -32020],
    ["no _meta", undefined, list, -32602],
    ["a _meta that is a text", "meta", list, -32602],
    ["no version in _meta", unversioned, list, -32602],
    ["no capabilities", incapable, list, -32602],
    ["capabilities that are a list", { ...incapable, "io.modelcontextprotocol/clientCapabilities": [] }, list, -32602],
    ["a revision to come", modernMeta("2099-01-01"), { ...list, "mcp-protocol-version": "2099-01-01" }, -32022],
    ["a revision to come in the header alone", undefined, { "mcp-protocol-version": "2099-01-01" }, -32022],
    ["an old revision in the modern way", modernMeta("2025-06-18"), { "mcp-protocol-version": "2025-06-18" }, -32022],
    ["a version that is no text", { ...unversioned, "io.modelcontextprotocol/protocolVersion": {} }, list, -32020],
  ];

  it.each(listed)("a request with %s", async (_, meta, headers, code) => {
    const runtime = await testRuntime();
    const { status, body } = await request(runtime, "tools/list", meta === undefined ? {} : { _meta: meta }, {
      headers,
    });
    expect([status, body.id, body.error?.code]).toEqual([code === null ? 200 : 400, 1, code ?? undefined]);
    if (code !== -32022) return;
    expect(body.error?.data).toEqual({ supported, requested: headers["mcp-protocol-version"] });
  });

  it("server/discover is modern even without anything that says so", async () => {
    const runtime = await testRuntime();
    const { status, body } = await request(runtime, "server/discover");
    expect([status, body.error?.code]).toEqual([400, -32020]);
  });

  const named: [header: string | undefined, name: string, isTaken: boolean][] = [
    ["get_action", "get_action", true],
    ["  get_action ", "get_action", true],
    [encode("get_action"), "get_action", true],
    [undefined, "get_action", false],
    ["list_actions", "get_action", false],
    ["GET_ACTION", "get_action", false],
    [encode("list_actions"), "get_action", false],
    ["=?base64?Z2V0X2FjdGlvbg?=", "get_action", false],
    ["=?base64?!!!?=", "get_action", false],
    ["=?base64?get_action", "=?base64?get_action", true],
    [encode("действие"), "действие", true],
  ];

  it.each(named)("a tool call with the header Mcp-Name %s for the tool %s", async (header, name, isTaken) => {
    const runtime = await testRuntime();
    const headers = modernHeaders("tools/call", header);
    const { status, body } = await request(runtime, "tools/call", { name, _meta: modernMeta() }, { headers });
    expect([status, body.error?.code === -32020]).toEqual([isTaken ? 200 : 400, !isTaken]);
  });

  it("a resource and a prompt are named in a header, too", async () => {
    const runtime = await testRuntime();
    for (const [method, params] of [
      ["resources/read", { uri: "action://greet" }],
      ["prompts/get", { name: "debug_run" }],
    ] as const) {
      const headers = modernHeaders(method, "other");
      const { status, body } = await request(runtime, method, { ...params, _meta: modernMeta() }, { headers });
      expect([status, body.error?.code]).toEqual([400, -32020]);
    }
  });
});

it("both eras are served side by side, with the same bodies", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const params = { name: "get_action", arguments: { slug: "greet" } };
  const old = (await request(runtime, "tools/call", params)).body.result;
  const now = (await modernRequest(runtime, "tools/call", params)).body.result;
  expect(now).toMatchObject({ ...old });
});
