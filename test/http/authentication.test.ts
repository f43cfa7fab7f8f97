import { expect, it } from "vitest";
import type { KeyList } from "../../src/contract/key.ts";
import { type Scope, scopes } from "../../src/contract/scopes.ts";
import { bearer, readAnswer, testRuntime } from "../support/runtime.ts";
import { greet } from "../support/workflows.ts";

const invalid = { error: "Missing or invalid API key", code: "UNAUTHORIZED" };

it("without a valid key every runtime path answers 401 and nothing about rates", async () => {
  const runtime = await testRuntime();
  const wrong = `${runtime.secret.slice(0, 8)}${"a".repeat(28)}`;
  const headers: Record<string, string>[] = [
    {},
    { authorization: "" },
    { authorization: runtime.secret },
    { authorization: `Basic ${runtime.secret}` },
    { authorization: `Bearer ${wrong}` },
    { authorization: `Bearer sgt_${"a".repeat(32)}` },
    { "x-api-key": runtime.secret },
    { cookie: `key=${runtime.secret}` },
  ];
  for (const path of ["/actions", "/runs", "/nowhere", `/runs?key=${runtime.secret}`]) {
    for (const header of headers) {
      const answer = await readAnswer(await runtime.request("GET", path, { headers: header }));
      expect([answer.status, answer.body]).toEqual([401, invalid]);
      expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  }
});

it("a revoked key is told so from the very next request on, also when it was used a moment ago", async () => {
  const runtime = await testRuntime();
  const { id, secret } = await runtime.mintKey();
  expect((await runtime.get("/actions", secret)).status).toBe(200);
  const revoked = await runtime.control("POST", `/control/keys/${id}/revoke`);
  expect(revoked.body).toMatchObject({ id, is_active: false, revoked_at: "2026-01-15T10:00:00.000Z" });
  const answer = await runtime.get("/actions", secret);
  expect([answer.status, answer.body]).toEqual([401, { error: "API key revoked", code: "UNAUTHORIZED" }]);
  const again = await runtime.control("POST", `/control/keys/${id}/revoke`);
  expect(again.body).toEqual(revoked.body);
});

it("a key that is revoked while the body of its request arrives does nothing any more, over REST and MCP", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const call = { name: "run_action", arguments: { slug: "greet", input: { name: "Ada" } } };
  const requests: [path: string, body: object][] = [
    ["/actions/greet/run", { input: { name: "Ada" } }],
    ["//mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: call }],
  ];
  for (const [path, body] of requests) {
    const { id, secret } = await runtime.mintKey();
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    const { promise: isRevoked, resolve: goOn } = Promise.withResolvers<void>();
    const slow = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          read();
          await isRevoked;
          controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { ...bearer(secret), "content-type": "application/json" };
    const answer = runtime.request("POST", path, { headers, body: slow, duplex: "half" });
    await isRead;
    await runtime.control("POST", `/control/keys/${id}/revoke`);
    goOn();
    expect(await (await answer).text()).toContain("API key revoked");
  }
  expect((await runtime.get("/runs")).body).toMatchObject({ total: 0 });
});

it("a key expires at its time, not a moment earlier, also when it was used a moment ago", async () => {
  const runtime = await testRuntime();
  const { secret } = await runtime.mintKey(undefined, { expires_at: "2026-01-15T10:01:00.000Z" });
  runtime.clock.advance(59_999);
  expect((await runtime.get("/actions", secret)).status).toBe(200);
  runtime.clock.advance(1);
  const answer = await runtime.get("/actions", secret);
  expect([answer.status, answer.body]).toEqual([401, { error: "API key expired", code: "UNAUTHORIZED" }]);
});

const routes: [method: "GET" | "POST", path: string, scope: Scope][] = [
  ["GET", "/actions", "actions:read"],
  ["GET", "/actions/greet", "actions:read"],
  ["POST", "/actions/greet/run", "actions:run"],
  ["GET", "/runs", "runs:read"],
  ["GET", "/runs/00000000-0000-7000-8000-000000000000", "runs:read"],
  ["GET", "/runs/00000000-0000-7000-8000-000000000000/events", "runs:read"],
];

it.each(routes)(
  "%s %s needs its scope and no other, whatever else is wrong with the request",
  async (method, path, scope) => {
    const runtime = await testRuntime();
    await runtime.publish(greet);
    const others = await runtime.mintKey(scopes.filter((other) => other !== scope));
    const own = await runtime.mintKey([scope]);
    const body = method === "POST" ? { body: "{ not JSON" } : {};
    const send = async (key: string) =>
      readAnswer(await runtime.request(method, `${path}?unknown=1`, { headers: bearer(key), ...body }));
    const refused = await send(others.secret);
    expect([refused.status, refused.body]).toEqual([
      403,
      { error: `The API key lacks the scope ${scope}`, code: "FORBIDDEN" },
    ]);
    expect(refused.headers.get("x-ratelimit-limit")).toBe("1000");
    expect((await send(own.secret)).status).toBe(400);
  },
);

it("a key's use is seen in the list of keys", async () => {
  const runtime = await testRuntime();
  runtime.clock.advance(5_000);
  await runtime.get("/actions");
  const { body } = await runtime.control<KeyList>("GET", "/control/keys");
  expect(body.keys.map((key) => key.last_used_at)).toEqual(["2026-01-15T10:00:05.000Z"]);
});

it("the uses of keys are written once a minute, and when the runtime stops", async () => {
  const runtime = await testRuntime();
  const lastUse = async () => (await runtime.store.listKeys(1))[0]?.lastUsedAt;
  await runtime.get("/actions");
  expect(await lastUse()).toBeNull();
  runtime.clock.advance(60_000);
  await runtime.settled();
  expect(await lastUse()).toBe(Date.parse("2026-01-15T10:00:00.000Z"));
  await runtime.get("/actions");
  await runtime.runtime.stop(0);
  expect(await lastUse()).toBe(Date.parse("2026-01-15T10:01:00.000Z"));
});
