import { describe, expect, it } from "vitest";
import { defaultLimits, maxBodyBytes } from "../../src/contract/limits.ts";
import {
  type RpcBody,
  type ToolResult,
  callTool,
  failTool,
  modernHeaders,
  modernRequest,
  postMcp,
  request,
} from "../support/mcp.ts";
import { type TestRuntime, bearer, readAnswer, testRuntime } from "../support/runtime.ts";
import { greet } from "../support/workflows.ts";

const rateHeaders = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
const unknownId = "00000000-0000-7000-8000-000000000000";

function withRate(business: number) {
  return { limits: { requestsPerMinute: { ...defaultLimits.requestsPerMinute, business } } };
}

function readRates(headers: Headers): (string | null)[] {
  return [...rateHeaders, "retry-after"].map((name) => headers.get(name));
}

/** The error in the result of a tool call. */
function toolError({ result }: RpcBody): unknown {
  const { content, isError } = result as ToolResult<unknown>;
  expect(isError).toBe(true);
  expect(content).toHaveLength(1);
  return JSON.parse(content[0].text);
}

describe("a caller without a valid key", () => {
  const keys: [what: string, header: (runtime: TestRuntime) => Promise<string | null>, message: string][] = [
    ["no key", async () => null, "Missing or invalid API key"],
    ["a malformed key", async () => "Bearer nonsense", "Missing or invalid API key"],
    ["another scheme", async ({ secret }) => `Basic ${secret}`, "Missing or invalid API key"],
    ["a revoked key", async (runtime) => `Bearer ${await revokedKey(runtime)}`, "API key revoked"],
    ["an expired key", async (runtime) => `Bearer ${await expiredKey(runtime)}`, "API key expired"],
  ];

  async function revokedKey(runtime: TestRuntime): Promise<string> {
    const { id, secret } = await runtime.mintKey();
    await runtime.control("POST", `/control/keys/${id}/revoke`);
    return secret;
  }

  async function expiredKey(runtime: TestRuntime): Promise<string> {
    const { secret } = await runtime.mintKey(undefined, { expires_at: "2026-01-15T10:01:00.000Z" });
    runtime.clock.advance(60_000);
    return secret;
  }

  it.each(keys)("calls a tool with %s and its model reads why that failed", async (_, header, error) => {
    const runtime = await testRuntime();
    const authorization = await header(runtime);
    const headers: Record<string, string> = authorization === null ? {} : { authorization };
    const params = { name: "list_actions", arguments: {} };
    for (const send of [request, modernRequest]) {
      const answer = await send(runtime, "tools/call", params, { key: null, headers });
      expect(answer.status).toBe(200);
      expect(toolError(answer.body)).toEqual({ error, code: "UNAUTHORIZED" });
      expect(readRates(answer.headers)).toEqual([null, null, null, null]);
    }
  });

  const others: [what: string, body: unknown][] = [
    ["initialize", { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }],
    ["server/discover", { jsonrpc: "2.0", id: 1, method: "server/discover" }],
    ["tools/list", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
    ["ping", { jsonrpc: "2.0", id: 1, method: "ping" }],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["a notification named as a tool call", { jsonrpc: "2.0", method: "tools/call" }],
    ["no JSON", "{"],
  ];

  it.each(others)("gets 401 for %s, in the body of REST and with no hint of OAuth", async (_, body) => {
    const runtime = await testRuntime();
    const bare = await postMcp(runtime, body, { key: null });
    expect([bare.status, bare.body]).toEqual([401, { error: "Missing or invalid API key", code: "UNAUTHORIZED" }]);
    expect(bare.headers.get("www-authenticate")).toBe('Bearer realm="stepgate"');
    expect(readRates(bare.headers)).toEqual([null, null, null, null]);
    const revoked = await postMcp(runtime, body, { key: await revokedKey(runtime) });
    expect([revoked.status, revoked.body]).toEqual([401, { error: "API key revoked", code: "UNAUTHORIZED" }]);
    expect(revoked.headers.get("www-authenticate")).toBe('Bearer realm="stepgate", error="invalid_token"');
  });

  it.each(["GET", "DELETE"])("gets 401 for %s", async (method) => {
    const runtime = await testRuntime();
    const answer = await readAnswer(await runtime.request(method, "//mcp"));
    expect([answer.status, answer.body]).toEqual([401, { error: "Missing or invalid API key", code: "UNAUTHORIZED" }]);
  });
});

describe("before anything else is looked at", () => {
  const foreign: Record<string, string>[] = [
    { host: "evil.example.com" },
    { origin: "http://evil.example.com" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
  ];

  it.each(foreign)("a request with %o is refused, with or without a key", async (headers) => {
    const runtime = await testRuntime();
    for (const key of [runtime.secret, null]) {
      const { status, body } = await request(runtime, "tools/call", { name: "list_actions" }, { key, headers });
      expect(status).toBe(403);
      expect(body).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32000, data: { code: "FORBIDDEN" } } });
    }
  });

  it("loopback names and their origins are no strangers", async () => {
    const runtime = await testRuntime();
    for (const headers of [{ host: "localhost:7717" }, { origin: "http://127.0.0.1:7717" }]) {
      expect((await request(runtime, "ping", {}, { headers })).body.result).toEqual({});
    }
  });
});

/** So many lists, each in the one before it. */
function nest(levels: number): unknown {
  return levels === 1 ? [] : [nest(levels - 1)];
}

describe("a body that is no message", () => {
  const bodies: [what: string, body: unknown, status: number, code: number, id: unknown][] = [
    ["no JSON", "{", 400, -32700, null],
    ["nothing", "", 400, -32700, null],
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "ping" }], 400, -32600, null],
    ["a text", '"ping"', 400, -32600, null],
    ["no jsonrpc", { id: 1, method: "ping" }, 400, -32600, 1],
    ["another jsonrpc", { jsonrpc: "1.0", id: 1, method: "ping" }, 400, -32600, 1],
    ["no method", { jsonrpc: "2.0", id: "a" }, 400, -32600, "a"],
    ["a method that is no text", { jsonrpc: "2.0", id: 1, method: 7 }, 400, -32600, 1],
    ["an id of null", { jsonrpc: "2.0", id: null, method: "ping" }, 400, -32600, null],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ping" }, 400, -32600, null],
    ["params that are a list", { jsonrpc: "2.0", id: 1, method: "ping", params: [] }, 400, -32600, 1],
    ["too many levels", { jsonrpc: "2.0", id: 1, method: "ping", params: { deep: nest(63) } }, 400, -32600, 1],
    ["an id that is too large a number", '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', 400, -32600, null],
  ];

  it.each(bodies)("%s", async (_, sent, status, code, id) => {
    const runtime = await testRuntime();
    const { body, ...answer } = await postMcp(runtime, sent);
    expect([answer.status, body.id, body.error?.code]).toEqual([status, id, code]);
    expect(body.result).toBeUndefined();
    expect(readRates(answer.headers).slice(0, 3)).not.toContain(null);
  });

  it("with as many levels as are allowed is read", async () => {
    const runtime = await testRuntime();
    expect((await request(runtime, "ping", { deep: nest(62) })).body.result).toEqual({});
  });

  it("above 4 MiB is refused with 413, up to it is read", async () => {
    const runtime = await testRuntime();
    const frame = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { a: "" } });
    const fill = (bytes: number) => frame.replace('""', `"${"x".repeat(bytes - frame.length)}"`);
    expect((await postMcp(runtime, fill(maxBodyBytes.mcp))).body.result).toEqual({});
    const { status, body } = await postMcp(runtime, fill(maxBodyBytes.mcp + 1));
    expect([status, body.id, body.error?.code]).toEqual([413, null, -32000]);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp"])("of type %s", async (type) => {
    const runtime = await testRuntime();
    const headers = { "content-type": type };
    const { status, body } = await request(runtime, "ping", {}, { headers });
    expect([status, body.id, body.error?.code]).toEqual([415, null, -32000]);
  });

  it("a type with a charset is JSON all the same", async () => {
    const runtime = await testRuntime();
    const headers = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await request(runtime, "ping", {}, { headers })).body.result).toEqual({});
  });
});

describe("a request that cannot be served", () => {
  it("an unknown method is told in HTTP 200 to the handshake era, in 404 to the modern one", async () => {
    const runtime = await testRuntime();
    for (const method of ["tools/delete", "logging/setLevel", "constructor"]) {
      const old = await request(runtime, method);
      expect([old.status, old.body.id, old.body.error?.code]).toEqual([200, 1, -32601]);
      const { status, body } = await modernRequest(runtime, method);
      expect([status, body.id, body.error?.code]).toEqual([404, 1, -32601]);
    }
  });

  it("an unknown tool is an error of the protocol", async () => {
    const runtime = await testRuntime();
    for (const name of ["delete_everything", "constructor", "action_greet"]) {
      const { status, body } = await request(runtime, "tools/call", { name });
      expect([status, body.error]).toEqual([200, { code: -32602, message: `Unknown tool: ${name}` }]);
    }
    expect((await modernRequest(runtime, "tools/call", { name: "x" })).body.error?.code).toBe(-32602);
  });

  it.each([{}, { name: 7 }, { name: { toString: 1 } }])("a tool call with params %o is malformed", async (params) => {
    const runtime = await testRuntime();
    const { status, body } = await request(runtime, "tools/call", params);
    expect([status, body.error?.code]).toEqual([200, -32602]);
  });

  it("a surface that there is not is refused", async () => {
    const runtime = await testRuntime();
    const { status, body } = await request(runtime, "tools/list", {}, { query: "?tools=action" });
    expect([status, body.error]).toEqual([400, { code: -32600, message: "tools must be actions or all" }]);
  });
});

describe("a tool that refuses", () => {
  it("names every bad argument, and the nearest known one of those that there are not", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    expect(await failTool(runtime, "run_action", { dry_runn: true, wait_seconds: 56 })).toEqual({
      error: expect.any(String),
      code: "BAD_REQUEST",
      details: [
        { field: "slug", message: "slug is missing: it must be text" },
        { field: "wait_seconds", message: "wait_seconds must be at most 55" },
        { field: "dry_runn", message: "dry_runn is not a known field; did you mean dry_run?" },
      ],
    });
    expect((await runtime.get("/runs")).body["total"]).toBe(0);
    expect(await failTool(runtime, "list_runs", { limit: 0, status: "done" })).toMatchObject({
      code: "BAD_REQUEST",
      details: [{ field: "status" }, { field: "limit" }],
    });
    for (const args of [[], "slug", 7]) {
      expect(await failTool(runtime, "get_action", args)).toMatchObject({ details: [{ field: "arguments" }] });
    }
  });

  it("says what of the input does not fit the action", async () => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    expect(await failTool(runtime, "run_action", { slug: "greet", input: { times: "two" } })).toEqual({
      error: "The input does not match the schema of greet",
      code: "INPUT_VALIDATION_FAILED",
      details: [
        { field: "name", message: "is required", rule: "required" },
        { field: "times", message: "must be integer", rule: "type" },
      ],
    });
  });

  it("gives the body that REST would", async () => {
    const runtime = await testRuntime();
    const missing = await runtime.get("/actions/missing");
    expect(missing.body["code"]).toBe("ACTION_NOT_FOUND");
    expect(await failTool(runtime, "get_action", { slug: "missing" })).toEqual(missing.body);
    const run = await runtime.get(`/runs/${unknownId}`);
    expect(run.body["code"]).toBe("RUN_NOT_FOUND");
    expect(await failTool(runtime, "get_run_status", { run_id: unknownId })).toEqual(run.body);
    expect(await failTool(runtime, "get_run_status", { run_id: "seven" })).toMatchObject({ code: "RUN_NOT_FOUND" });
  });

  it("comes too late: a request for approval is decided once, and a run that is over is not cancelled", async () => {
    const runtime = await testRuntime();
    await runtime.publish(`${greet}approval_policy: always\n`);
    const { run_id: id } = await callTool<{ run_id: string }>(runtime, "run_action", {
      slug: "greet",
      input: { name: "Ada" },
    });
    const decision = { run_id: id, decision: "approved" };
    expect(await callTool(runtime, "approve_run", decision)).toEqual({
      run_id: id,
      status: "running",
      decision: "approved",
      decided_at: "2026-01-15T10:00:00.000Z",
    });
    const again = await runtime.post(`/runs/${id}/approve`, { decision: "approved" });
    expect(again.body).toMatchObject({ code: "BAD_REQUEST", error: "Approval already resolved" });
    expect(await failTool(runtime, "approve_run", decision)).toEqual(again.body);
    await callTool(runtime, "get_run_status", { run_id: id, wait_seconds: 5 });
    expect(await failTool(runtime, "cancel_run", { run_id: id })).toMatchObject({ code: "BAD_REQUEST" });
  });

  it("lacks a scope, and that is told before the arguments are looked at", async () => {
    const runtime = await testRuntime({ scopes: ["actions:read"] });
    const answer = await request(runtime, "tools/call", { name: "run_action", arguments: { slag: 1 } });
    expect(answer.status).toBe(200);
    expect(toolError(answer.body)).toEqual({ error: "The API key lacks the scope actions:run", code: "FORBIDDEN" });
  });

  it("over the cap of runs says when to come back", async () => {
    const runtime = await testRuntime({ limits: { runsPerHour: 1 } });
    await runtime.publish(greet);
    await runtime.runToEnd("greet", { name: "Ada" });
    const params = { name: "run_action", arguments: { slug: "greet", input: { name: "Ada" } } };
    const answer = await request(runtime, "tools/call", params);
    expect(toolError(answer.body)).toMatchObject({
      code: "RATE_LIMIT_EXCEEDED",
      details: [{ limit: "runs_per_hour" }],
    });
    expect(readRates(answer.headers).slice(1)).toEqual(["0", expect.any(String), expect.any(String)]);
  });

  it("breaks: the caller learns nothing of it, the log everything", async () => {
    const runtime = await testRuntime();
    runtime.store.listActions = () => Promise.reject(new Error("the disk is gone"));
    const answer = await request(runtime, "tools/call", { name: "list_actions" });
    expect(answer.status).toBe(200);
    expect(toolError(answer.body)).toEqual({ error: "Internal error", code: "INTERNAL_ERROR" });
    expect(JSON.stringify(answer.body)).not.toContain("disk");
    expect(runtime.logged.join()).toContain("the disk is gone");
  });
});

describe("the rate of a key", () => {
  it("is one for REST and MCP: each POST counts once, whatever it says", async () => {
    const runtime = await testRuntime(withRate(10));
    const remaining: (string | null)[] = [];
    const note = ({ headers }: { headers: Headers }) => remaining.push(headers.get("x-ratelimit-remaining"));
    note(await runtime.get("/actions"));
    note(await request(runtime, "initialize"));
    note(await postMcp(runtime, { jsonrpc: "2.0", method: "notifications/initialized" }));
    note(await request(runtime, "tools/call", { name: "list_actions" }));
    note(await request(runtime, "nonsense"));
    note(await postMcp(runtime, "{"));
    note(await runtime.get("/actions"));
    expect(remaining).toEqual(["9", "8", "7", "6", "5", "4", "3"]);
  });

  it("a tool call over it tells the model, and its client in headers, when to come back", async () => {
    const runtime = await testRuntime(withRate(1));
    await request(runtime, "ping");
    runtime.clock.advance(15_000);
    for (const send of [request, modernRequest]) {
      const answer = await send(runtime, "tools/call", { name: "list_actions" });
      expect(answer.status).toBe(200);
      expect(toolError(answer.body)).toEqual({
        error: "Rate limit exceeded",
        code: "RATE_LIMIT_EXCEEDED",
        details: [{ retry_after_seconds: 45 }],
      });
      const reset = String(Date.parse("2026-01-15T10:01:00Z") / 1000);
      expect(readRates(answer.headers)).toEqual(["1", "0", reset, "45"]);
    }
  });

  it("any other request over it is an error of the server, not HTTP 429, which makes clients ask again", async () => {
    const runtime = await testRuntime(withRate(1));
    await request(runtime, "ping");
    const data = { error: "Rate limit exceeded", code: "RATE_LIMIT_EXCEEDED" };
    for (const method of ["initialize", "tools/list", "nonsense"]) {
      const answer = await request(runtime, method);
      expect([answer.status, answer.body.error]).toEqual([200, { code: -32000, message: data.error, data }]);
      expect(readRates(answer.headers)).toEqual(["1", "0", expect.any(String), "60"]);
    }
    expect((await postMcp(runtime, "{")).body).toMatchObject({ id: null, error: { code: -32000, data } });
    expect((await postMcp(runtime, { jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
  });
});

describe("what gets no JSON-RPC answer", () => {
  const silent: [what: string, body: unknown][] = [
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["an unknown notification", { jsonrpc: "2.0", method: "nonsense", params: {} }],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "" } }],
  ];

  it.each(silent)("%s is taken with 202 and no body", async (_, body) => {
    const runtime = await testRuntime();
    for (const headers of [{}, modernHeaders("notifications/cancelled")]) {
      const answer = await postMcp(runtime, body, { headers });
      expect([answer.status, answer.body]).toEqual([202, null]);
      expect(answer.headers.get("x-ratelimit-limit")).toBe("1000");
    }
  });

  it.each(["GET", "DELETE", "PUT"])("%s is not allowed: there are no sessions and no streams", async (method) => {
    const runtime = await testRuntime();
    const answer = await readAnswer(await runtime.request(method, "//mcp", { headers: bearer(runtime.secret) }));
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    expect(answer.body).toMatchObject({ code: "METHOD_NOT_ALLOWED" });
  });

  it.each(["//.well-known/oauth-protected-resource/mcp", "//.well-known/oauth-authorization-server", "//register"])(
    "%s is not there, so that clients use the key that they have",
    async (path) => {
      const runtime = await testRuntime();
      for (const method of ["GET", "POST"]) {
        const answer = await readAnswer(await runtime.request(method, path));
        expect([answer.status, answer.body]).toMatchObject([404, { code: "NOT_FOUND" }]);
        expect(answer.headers.get("content-type")).toBe("application/json");
      }
    },
  );
});
