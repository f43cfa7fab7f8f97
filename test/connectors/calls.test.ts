import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/contract/json.ts";
import { compileSchema } from "../../src/engine/definition/schema-check.ts";
import type { Connector, OpenConnection, PushRequest } from "../../src/engine/connector.ts";
import { failureOfThrown } from "../../src/engine/calls/call-error.ts";
import { callOperation, connection } from "../support/call-operation.ts";
import { leastCpuMs } from "../support/cpu-time.ts";
import { HttpService, json } from "../support/http-service.ts";
import { compile, sampleManifest } from "../support/manifests.ts";

type Data = Record<string, unknown>;

const open = { type: "object", additionalProperties: true };
const one = (changes: Data, rest: Data = {}) =>
  compile(
    sampleManifest({
      operations: [{ key: "get", name: "Get", method: "GET", path: "/things", inputSchema: open, ...changes }],
      ...rest,
    }),
  );

async function call(
  connector: Connector,
  url: string,
  input: { [key: string]: Json } = {},
  own?: Partial<OpenConnection>,
) {
  const used = { ...connection(connector, { baseUrl: `${url}/api` }), ...own };
  used.settings = { baseUrl: `${url}/api`, ...own?.settings };
  return callOperation(connector, "get", input, { connection: used }).catch(failureOfThrown);
}

describe("a call of a built connector", () => {
  it("sends path, query, headers, cookies and body as the manifest says, and gives the part it names", async () => {
    const service = await HttpService.start(json(200, { data: { items: [1, 2] } }));
    const connector = one({
      method: "POST",
      path: "/a/{{input.id}}/b",
      request: {
        query: { tags: "{{input.tags}}", ids: "{{input.tags}}", filter: "{{input.filter}}", none: "{{input.none}}" },
        queryStyle: { ids: "comma", filter: "deep" },
        headers: { "X-Trace": "t-{{input.id}}", "X-None": "{{input.none}}" },
        cookies: { session: "{{input.id}}" },
        body: { id: "{{input.id}}", tags: "{{input.tags}}", none: "{{input.none}}" },
      },
      response: { path: "data.items" },
    });
    const outcome = await call(connector, service.url, { id: "x/y?&é", tags: ["a", "b c"], filter: { q: { r: 1 } } });
    expect(outcome).toEqual({ kind: "done", output: [1, 2] });
    const [request] = service.requests;
    expect(request?.url).toBe("/api/a/x%2Fy%3F%26%C3%A9/b?tags=a&tags=b+c&ids=a%2Cb+c&filter%5Bq%5D%5Br%5D=1");
    expect(JSON.parse(request?.body ?? "")).toEqual({ id: "x/y?&é", tags: ["a", "b c"] });
    expect(request?.headers).toMatchObject({ cookie: "session=x%2Fy%3F%26%C3%A9", "idempotency-key": "run-1:ask" });
    expect(request?.headers["x-none"]).toBeUndefined();
  });

  it("goes nowhere but below the connector's address, whatever the input says", async () => {
    const service = await HttpService.start();
    const connector = one({ path: "/a/{{input.id}}" });
    for (const id of ["..", ".", "../..", "x/../../y", "..\\..", "", null, { a: 1 }, "\ud800"]) {
      const outcome = await call(connector, service.url, { id });
      expect(outcome).toMatchObject({ kind: "fail", error: { code: "VALIDATION_ERROR" } });
    }
    for (const id of [
      "//evil.example",
      "@evil.example",
      "https://evil.example/",
      "%2e%2e",
      "%2e%2e/%2e%2e",
      "a#b",
      "a?b",
      "a\r\nb",
    ]) {
      expect(await call(connector, service.url, { id })).toMatchObject({ kind: "done" });
    }
    expect(service.requests.every(({ url }) => url.startsWith("/api/a/"))).toBe(true);
    expect(
      await call(one({ request: { headers: { "X-A": "{{input.id}}" } } }), service.url, { id: "a\r\nb: c" }),
    ).toMatchObject({
      kind: "fail",
      error: { code: "VALIDATION_ERROR" },
    });
  });

  it.each<[string, Data, Partial<OpenConnection>, Data]>([
    ["a header", { type: "api_key", name: "X-Key", prefix: "k " }, { secrets: { api_key: "s3" } }, { "x-key": "k s3" }],
    ["bearer", { type: "bearer" }, { secrets: { token: "s3" } }, { authorization: "Bearer s3" }],
    [
      "basic",
      { type: "basic" },
      { settings: { username: "ü" }, secrets: { password: "p" } },
      { authorization: "Basic w7w6cA==" },
    ],
    [
      "oauth2",
      { type: "oauth2", tokenUrl: "https://a.example/t", grant: "client_credentials" },
      { secrets: { access_token: "t" } },
      { authorization: "Bearer t" },
    ],
    [
      "custom",
      {
        type: "custom",
        fields: [{ name: "a" }, { name: "b", required: false }],
        headers: { "X-A": "v={{connection.a}}", "X-B": "{{connection.b}}" },
      },
      { secrets: { a: "1" } },
      { "x-a": "v=1" },
    ],
  ])("carries the credentials as %s", async (_, auth, own, headers) => {
    const service = await HttpService.start();
    await call(one({}, { auth }), service.url, {}, own);
    expect(service.requests[0]?.headers).toMatchObject(headers);
    expect(service.requests[0]?.headers["x-b"]).toBeUndefined();
  });

  it("carries an API key in the query, which no input can change", async () => {
    const service = await HttpService.start();
    const connector = one(
      { request: { query: { key: "{{input.key}}" } } },
      { auth: { type: "api_key", in: "query", name: "key" } },
    );
    await call(connector, service.url, { key: "mine" }, { secrets: { api_key: "s3" } });
    expect(service.requests[0]?.url).toBe("/api/things?key=s3");
  });

  it("fails with the codes of the contract, and with AUTH_EXPIRED before anybody has signed in", async () => {
    const service = await HttpService.start();
    for (const [status, code] of [
      [401, "AUTH_EXPIRED"],
      [429, "RATE_LIMITED"],
      [422, "VALIDATION_ERROR"],
      [503, "UPSTREAM_ERROR"],
    ] as const) {
      service.answer = json(status, { why: "because" });
      expect(await call(one({}), service.url)).toMatchObject({
        kind: "fail",
        error: { code, details: { status, body: { why: "because" } } },
      });
    }
    service.answer = (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{oops");
    expect(await call(one({}), service.url)).toMatchObject({ error: { code: "UNKNOWN" } });
    const auth = { type: "oauth2", tokenUrl: "https://a.example/t", grant: "client_credentials" };
    expect(await call(one({}, { auth }), service.url)).toMatchObject({ error: { code: "AUTH_EXPIRED" } });
  });

  it("sends forms, files and texts, and takes bytes as base64", async () => {
    const service = await HttpService.start(
      (_, response) => void response.writeHead(200, { "content-type": "image/png" }).end("png"),
    );
    const post = (contentType: string) => one({ method: "POST", request: { body: "{{input.body}}", contentType } });
    const outcome = await call(post("application/x-www-form-urlencoded"), service.url, {
      body: { a: 1, b: ["x", "y"] },
    });
    expect(outcome).toEqual({ kind: "done", output: { base64: btoa("png"), contentType: "image/png" } });
    await call(post("multipart/form-data"), service.url, {
      body: { name: "n", file: { base64: btoa("hello"), filename: "h.txt" } },
    });
    await call(post("text/plain"), service.url, { body: "plain" });
    const [form, multipart, text] = service.requests;
    expect(form?.body).toBe("a=1&b=x&b=y");
    expect(multipart?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(multipart?.body).toMatch(/name="file"; filename="h.txt"[^]*hello/);
    expect([text?.headers["content-type"], text?.body]).toEqual(["text/plain", "plain"]);
  });

  it("is held back to the connector's rate", async () => {
    const service = await HttpService.start();
    const connector = one({}, { rateLimit: { requests: 2, perSeconds: 1 } });
    const started = performance.now();
    await Promise.all([call(connector, service.url), call(connector, service.url)]);
    const pair = one({}, { rateLimit: { requests: 2, perSeconds: 3600 } });
    const both = await Promise.all([call(pair, service.url), call(pair, service.url)]);
    for (const answer of both) expect(answer).not.toHaveProperty("error");
    await call(connector, service.url);
    expect(performance.now() - started).toBeGreaterThan(900);
    const slow = one({}, { rateLimit: { requests: 1, perSeconds: 3600 } });
    await call(slow, service.url);
    expect(await call(slow, service.url)).toMatchObject({ error: { code: "RATE_LIMITED", retryAfterMs: 3_600_000 } });
  });
});

describe("the check of an input", () => {
  const check = (schema: Data, value: Json) => {
    const compiled = compileSchema(schema as { [key: string]: Json });
    if ("message" in compiled) throw new Error(compiled.message);
    return compiled(value);
  };

  it("coerces as Set does, fills defaults in and names every field", () => {
    const schema = {
      type: "object",
      required: ["id", "n"],
      properties: {
        id: { type: "string" },
        n: { type: ["integer", "null"] },
        yes: { type: "boolean" },
        list: { type: "array", items: { type: "number" } },
        some: { type: "string", default: "x" },
        deep: { allOf: [{ type: "object", properties: { n: { type: "number" } } }] },
      },
    };
    const input = { id: 7, n: "5", yes: "true", list: ["1", 2], deep: { n: "1.5" }, more: 1 };
    const value = { id: "7", n: 5, yes: true, list: [1, 2], deep: { n: 1.5 }, more: 1, some: "x" };
    expect(check(schema, input)).toEqual({ ok: true, value });
    expect(input.n).toBe("5");
    const wrong = check(schema, { n: "five", yes: "maybe", list: [null] });
    expect(wrong).toMatchObject({
      ok: false,
      problems: [{ field: "id" }, { field: "n" }, { field: "yes" }, { field: "list.0" }],
    });
    expect(check(schema, { id: "a", n: null })).toMatchObject({ ok: true });
  });

  it("lets no schema hold the daemon up or reach a prototype", () => {
    const hostile = JSON.parse(
      '{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"},"__proto__":{"default":{"x":1}}}}',
    ) as Data;
    const match = () => expect(check(hostile, { a: `${"a".repeat(50)}!` })).toMatchObject({ ok: true });
    expect(leastCpuMs(match, 1)).toBeLessThan(500);
    expect(({} as Data)["x"]).toBeUndefined();
    const circle = { type: "object", properties: { next: { $ref: "#" }, n: { type: "number" } } };
    expect(check(circle, { next: { next: { n: "1" } } })).toEqual({ ok: true, value: { next: { next: { n: 1 } } } });
    expect(check({ oneOf: [{ type: "number" }, { type: "integer" }] }, 5)).toMatchObject({ ok: true });
  });
});

describe("a poll trigger", () => {
  const poll = (changes: Data) => {
    const trigger = {
      event: "e",
      name: "E",
      mode: "poll",
      request: { path: "/list", query: { since: "{{cursor.last}}" } },
      id: "id",
      ...changes,
    };
    return compile(sampleManifest({ operations: [], triggers: [trigger] })).triggers[0]?.poll;
  };
  async function run(changes: Data, pages: unknown[]) {
    const service = await HttpService.start();
    const compiled = poll(changes);
    let cursor: Json = null;
    const told: unknown[] = [];
    for (const page of pages) {
      service.answer = json(200, page);
      const connector = compile(sampleManifest());
      const parts = {
        connection: connection(connector, { baseUrl: service.url }),
        params: {},
        fetch,
        signal: AbortSignal.timeout(5000),
        now: () => new Date(),
      };
      const result = await compiled?.run({ ...parts, cursor });
      if (!result || "error" in result) throw new Error(JSON.stringify(result));
      cursor = JSON.parse(JSON.stringify(result.cursor)) as Json;
      told.push(result.events.map((event) => event.id));
    }
    return { told, urls: service.requests.map(({ url }) => url) };
  }

  it("tells what is new by id, by time and by token, each thing once and nothing of the past", async () => {
    const rows = (...ids: number[]) => ids.map((id) => ({ id: String(id) }));
    const byId = await run({ cursor: { by: "id" } }, [rows(9, 8), rows(11, 10, 9), rows(11), rows(), rows(12, 11)]);
    expect(byId.told).toEqual([[], ["10", "11"], [], [], ["12"]]);
    expect(byId.urls).toEqual(["/list", "/list?since=9", "/list?since=11", "/list?since=11", "/list?since=11"]);
    const at = (id: number, second: number) => ({ id, at: `2026-01-01T00:00:0${second}Z` });
    const byTime = await run({ cursor: { by: "time", path: "at" }, items: "d" }, [
      { d: [at(1, 1)] },
      { d: [at(2, 1), at(1, 1), at(3, 2)] },
      { d: [at(4, 2), at(3, 2)] },
      { d: [at(3, 5)] },
    ]);
    expect(byTime.told).toEqual([
      [],
      ["2@2026-01-01T00:00:01Z", "3@2026-01-01T00:00:02Z"],
      ["4@2026-01-01T00:00:02Z"],
      ["3@2026-01-01T00:00:05Z"],
    ]);
    const byToken = await run({ cursor: { by: "token", path: "next" }, items: "d" }, [
      { d: rows(1), next: "t1" },
      { d: rows(2), next: "t2" },
      { d: [] },
    ]);
    expect(byToken.told).toEqual([[], ["2"], []]);
    expect(byToken.urls).toEqual(["/list", "/list?since=t1", "/list?since=t2"]);
    expect((await run({ cursor: { by: "id" } }, [[], rows(1)])).told).toEqual([[], ["1"]]);
  });
});

describe("a webhook trigger", () => {
  const signature = {
    scheme: "hmac",
    header: "x-sig",
    prefix: "sha256=",
    secret: "api_key",
    payload: "{{headers.x-at}}.{{body}}",
    timestampHeader: "x-at",
  };
  const trigger = {
    event: "closed",
    name: "Closed",
    mode: "webhook",
    signature,
    when: [{ value: "{{body.type}}", equals: "closed" }],
    events: "data",
    id: "{{item.id}}",
    output: { ticket: "{{item.id}}", kind: "{{body.type}}" },
    answer: { body: "ok {{body.type}}" },
  };
  const connector = compile(
    sampleManifest({ auth: { type: "api_key", name: "X-Key" }, operations: [], triggers: [trigger] }),
  );
  const now = new Date("2026-11-21T10:00:00Z");
  function decode(text: string, { key = "s3", at = now.getTime() / 1000, type = "application/json" } = {}) {
    const signed = createHmac("sha256", key).update(`${at}.${text}`).digest("hex");
    const request: PushRequest = {
      headers: new Headers({ "x-sig": `sha256=${signed}`, "x-at": String(at), "content-type": type }),
      query: new URLSearchParams(),
      body: new TextEncoder().encode(text),
      connection: connection(connector, {}, { api_key: "s3" }),
      params: {},
      now: () => now,
    };
    return connector.triggers[0]?.push?.decode(request);
  }

  it("takes the events of a signed request, and refuses what is not signed, old or no JSON", () => {
    const text = JSON.stringify({ type: "closed", data: [{ id: 1 }, { id: "b" }] });
    expect(decode(text)).toEqual({
      kind: "events",
      events: [
        { id: "1", output: { ticket: 1, kind: "closed" } },
        { id: "b", output: { ticket: "b", kind: "closed" } },
      ],
      response: { status: 200, headers: { "content-type": "text/plain" }, body: "ok closed" },
    });
    expect(decode('{"type":"opened","data":[]}')).toMatchObject({ kind: "events", events: [] });
    expect(decode(text, { key: "other" })).toMatchObject({ kind: "refused", status: 401 });
    expect(decode(text, { at: now.getTime() / 1000 - 301 })).toMatchObject({ kind: "refused", status: 401 });
    expect(decode("{oops")).toMatchObject({ kind: "refused", status: 400 });
    expect(decode('{"type":"closed","data":{}}')).toMatchObject({ kind: "refused", status: 400 });
    expect(decode("type=closed&data=x", { type: "application/x-www-form-urlencoded" })).toMatchObject({ status: 400 });
  });
});
