import { expect, it } from "vitest";
import { HttpService, json, until } from "../support/http-service.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";

/** A service, and a way to call it by one run. */
async function open(options: Parameters<typeof outsideRuntime>[0] = {}, data: object = {}) {
  const service = await HttpService.start();
  const outside = await outsideRuntime(options);
  await outside.publishCall(data);
  const call = async (input: object) =>
    outside.test.runToEnd("call", { method: "GET", url: `${service.url}/`, ...input });
  return { service, outside, call };
}

it("an answer becomes an output by its content type", async () => {
  const { service, call } = await open();
  const answers: [type: string | null, body: string | Buffer, expected: object][] = [
    [
      "application/json; charset=utf-8",
      '{"a":[1],"__proto__":{"b":2}}',
      { body: JSON.parse('{"a":[1],"__proto__":{"b":2}}') },
    ],
    ["application/problem+json", "null", { body: null }],
    ["text/html", "<p>é</p>", { body: "<p>é</p>" }],
    ["text/plain; charset=iso-8859-1", Buffer.from([0xe9]), { body: "é" }],
    ["image/png", Buffer.from([0x89, 0, 1]), { body: "iQAB", encoding: "base64" }],
    ["text/plain", Buffer.from([0xff, 0xfe, 0xff]), { body: "//7/", encoding: "base64" }],
    [null, "plain", { body: "plain" }],
    ["application/json", "", { body: null }],
  ];
  for (const [type, body, expected] of answers) {
    service.answer = (_, response) =>
      void response.writeHead(201, type === null ? {} : { "content-type": type }).end(body);
    const { status, output, error } = await call({});
    expect({ status, error }).toEqual({ status: "succeeded", error: null });
    expect(output).toMatchObject({ status: 201, ...expected });
    if (type !== null) expect(output).toHaveProperty("headers.content-type", type);
  }
});

it("a header of the answer that came several times is there with all of its values, cookies too", async () => {
  const { service, call } = await open();
  service.answer = (_, response) =>
    void response.writeHead(200, { "Set-Cookie": ["a=1; Path=/", "b=2"], "X-Many": ["1", "2"] }).end();
  expect((await call({})).output).toMatchObject({ headers: { "set-cookie": "a=1; Path=/, b=2", "x-many": "1, 2" } });
});

it("a request is put together of its parts", async () => {
  const { service, call } = await open();
  const run = await call({
    method: "POST",
    url: `${service.url}/orders?a=1`,
    query: { b: "x y", list: [1, 2], none: null },
    headers: { "x-number": 7, "content-type": "application/vnd.api+json" },
    body: { total: 40, nested: [true] },
  });
  await call({ method: "PUT", body: "as it is" });
  await call({ method: "DELETE" });
  const fields = { a: "x y", list: [1, 2], none: null };
  await call({ method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: fields });
  const [post, put, remove, form] = service.requests;
  expect(post).toMatchObject({
    method: "POST",
    url: "/orders?a=1&b=x+y&list=1&list=2",
    headers: { "x-number": "7", "content-type": "application/vnd.api+json", "idempotency-key": `${run.run_id}:call` },
    body: '{"total":40,"nested":[true]}',
  });
  expect(put).toMatchObject({ body: "as it is", headers: { "content-type": "text/plain; charset=utf-8" } });
  expect(remove).toMatchObject({ method: "DELETE", body: "" });
  expect(form?.body).toBe("a=x+y&list=1&list=2");
});

const refused: [what: string, input: object, message: RegExp][] = [
  ["a method that there is not", { method: "FETCH" }, /method must be one of "GET"/],
  ["a field that there is not", { headers: 7 }, /headers must be object/],
  ["no address", { url: "orders" }, /url is no address/],
  ["a null where a text has to be", { url: null }, /url must be string/],
  ["a header that frames the message", { headers: { "Content-Length": 5 } }, /Content-Length is set by the connection/],
  ["a header that HTTP can't carry", { headers: { "x-a": "a\nb" } }, /"x-a" has a name or a value/],
  ["a GET with a body", { body: {} }, /GET request has no body/],
  ["a credential in the address", { url: "http://user:pass@127.0.0.1/" }, /user name or password/],
  ["a private address", { url: "http://10.0.0.1/" }, /10\.0\.0\.1:80 is a private address/],
];

it.each(refused)("%s is a VALIDATION_ERROR, and nothing is called", async (_, input, message) => {
  const { service, call } = await open();
  const { status, error } = await call(input);
  expect({ status, error }).toMatchObject({
    status: "failed",
    error: { code: "VALIDATION_ERROR", step_id: "call", message: expect.stringMatching(message) },
  });
  expect(service.requests).toEqual([]);
});

const statuses: [status: number, headers: Record<string, string>, error: object][] = [
  [400, {}, { code: "VALIDATION_ERROR", details: { status: 400, body: { why: "so" } } }],
  [401, {}, { code: "AUTH_EXPIRED" }],
  [403, {}, { code: "AUTH_EXPIRED" }],
  [404, {}, { code: "VALIDATION_ERROR" }],
  [429, { "retry-after": "7" }, { code: "RATE_LIMITED", retryAfterMs: 7000 }],
  [
    429,
    { "retry-after": "Thu, 15 Jan 2026 10:00:09 GMT", date: "Thu, 15 Jan 2026 10:00:00 GMT" },
    { code: "RATE_LIMITED", retryAfterMs: 9000 },
  ],
  [500, {}, { code: "UPSTREAM_ERROR", retryable: true }],
  [503, { "retry-after": "1" }, { code: "UPSTREAM_ERROR" }],
];

it.each(statuses)("a status of %i %j fails the step with its code", async (status, headers, error) => {
  const { service, call } = await open();
  service.answer = json(status, { why: "so" }, headers);
  const run = await call({});
  expect(run).toMatchObject({ status: "failed", error });
  expect(service.requests).toHaveLength(1);
  expect(await call({ failOnStatus: false })).toMatchObject({
    status: "succeeded",
    output: { status, body: { why: "so" } },
  });
});

it("a 429 without a Retry-After that means anything says no time", async () => {
  const { service, call } = await open();
  for (const header of ["-5", "1.5", "soon"]) {
    service.answer = json(429, {}, { "retry-after": header });
    expect((await call({})).error).not.toHaveProperty("retryAfterMs");
  }
});

it("what is no answer is told by its code: broken off, never begun, malformed, too long", async () => {
  const { service, call } = await open();
  const codeOf = async (answer: HttpService["answer"]) => {
    service.answer = answer;
    return (await call({})).error?.code;
  };
  expect(await codeOf((_, __, socket) => socket.destroy())).toBe("UPSTREAM_ERROR");
  const halfway: HttpService["answer"] = (_, response, socket) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write('{"half":');
    setTimeout(() => socket.destroy(), 10);
  };
  expect(await codeOf(halfway)).toBe("UPSTREAM_ERROR");
  expect(await codeOf((_, __, socket) => socket.end("garbage\r\n\r\n"))).toBe("UNKNOWN");
  const broken: HttpService["answer"] = (_, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end("{oops");
  expect(await codeOf(broken)).toBe("UNKNOWN");
  expect(await codeOf((_, response) => void response.end(Buffer.alloc(5 * 1024 * 1024 + 1)))).toBe("VALIDATION_ERROR");
  await service.stop();
  expect((await call({})).error).toMatchObject({ code: "UPSTREAM_ERROR", message: expect.stringContaining("refused") });
});

it("credentials that are refused are never tried again, however many retries there are", async () => {
  const { service, call } = await open({}, { maxRetries: 3 });
  service.answer = json(401, {});
  expect((await call({})).error?.code).toBe("AUTH_EXPIRED");
  expect(service.requests).toHaveLength(1);
});

it("a retry is the same call under the same Idempotency-Key; each iteration of a loop has its own", async () => {
  const service = await HttpService.start();
  const { test, driver } = await outsideRuntime();
  await test.publish(`
name: loop
slug: loop
nodes:
  - { id: action_input, type: action_input }
  - { id: each, type: loop, data: { items: "{{action_input.items}}" } }
  - id: call
    type: connector
    data: { connector: http, operation: request, maxRetries: 2, input: { method: POST, url: "${service.url}/{{item}}" } }
  - { id: return_output, type: return_output }
edges: [action_input -> each, each.loop -> call, each.done -> return_output]
`);
  let failures = 2;
  service.answer = (request, response, socket) => json(failures-- > 0 ? 500 : 200, {})(request, response, socket);
  const id = await driver.start("loop", { items: ["a", "b"] });
  for (const wait of [1000, 2000]) {
    await until(async () => (await driver.entries(id)).filter(({ type }) => type === "step_started").length >= 2);
    await until(() => service.requests.length === (wait === 1000 ? 1 : 2));
    await test.settled();
    await until(async () => {
      await test.settled();
      return (await test.store.listRunDue(id)).length === 1;
    });
    test.clock.advance(wait);
  }
  await until(async () => (await driver.status(id)) === "succeeded");
  expect(service.requests.map(({ url, headers }) => [url, headers["idempotency-key"]])).toEqual([
    ["/a", `${id}:call:0`],
    ["/a", `${id}:call:0`],
    ["/a", `${id}:call:0`],
    ["/b", `${id}:call:1`],
  ]);
});

it("a call that never answers ends at the step's time-out, and its socket closes", async () => {
  const { service, outside } = await open();
  service.answer = () => undefined;
  const id = await outside.driver.start("call", { method: "GET", url: service.url });
  await until(() => service.requests.length === 1);
  const run = await outside.driver.after(30_000, id);
  expect(run).toMatchObject({ status: "timed_out", error: { code: "TIMEOUT", step_id: "call" } });
  await until(() => service.open === 0);
});

it("a cancellation and the pipeline's time-out close the socket of a call that is under way", async () => {
  const { service, outside } = await open({ limits: { pipelineTimeoutSeconds: 20 } });
  service.answer = (_, response) => void response.write("a beginning");
  const cancelled = await outside.driver.start("call", { method: "POST", url: service.url });
  await until(() => service.requests.length === 1);
  await outside.test.post(`/runs/${cancelled}/cancel`);
  expect(await outside.driver.status(cancelled)).toBe("cancelled");
  await until(() => service.open === 0);
  const late = await outside.driver.start("call", { method: "POST", url: service.url });
  await until(() => service.requests.length === 2);
  expect(await outside.driver.after(20_000, late)).toMatchObject({ status: "timed_out", error: { code: "TIMEOUT" } });
  await until(() => service.open === 0);
});

it("a retry that would come after the pipeline's time-out is not waited for", async () => {
  const { service, call } = await open({ limits: { pipelineTimeoutSeconds: 20 } }, { maxRetries: 3 });
  service.answer = json(429, {}, { "retry-after": "20" });
  expect(await call({})).toMatchObject({ status: "failed", error: { code: "RATE_LIMITED", retryAfterMs: 20_000 } });
});

it("back-off is set by retries.baseMs and retries.maxMs", async () => {
  const retries = { baseMs: 100, maxMs: 100 };
  const { service, outside } = await open(
    { outside: { retries, egress: { allow: ["127.0.0.1"], allowPrivateNetworks: false } } },
    { maxRetries: 1 },
  );
  service.answer = json(500, {});
  const id = await outside.driver.start("call", { method: "GET", url: service.url });
  await until(async () => (await outside.test.store.listRunDue(id)).length === 1);
  outside.test.clock.advance(100);
  await until(() => service.requests.length === 2);
  expect((await outside.driver.read(id)).steps[0]).toMatchObject({ attempt: 2 });
});

it("a dry run calls nothing", async () => {
  const { service, outside } = await open();
  const { body } = await outside.test.post("/actions/call/run", {
    input: { method: "POST", url: service.url },
    dry_run: true,
  });
  expect(body).toMatchObject({ status: "succeeded" });
  await outside.test.settled();
  expect(service.connections).toBe(0);
});

it("a connection brings its credentials, and its baseUrl keeps them at one service", async () => {
  const service = await HttpService.start();
  const outside = await outsideRuntime({ allow: [] });
  const base = { baseUrl: `${service.url}/v1`, allowPrivateNetwork: true };
  const kinds: [settings: object, secrets: object, expected: object, url: string][] = [
    [{}, { token: "t0ken" }, { authorization: "Bearer t0ken" }, "/v1/orders?a=1"],
    [{ username: "ada" }, { password: "pä" }, { authorization: "Basic YWRhOnDDpA==" }, "/v1/orders?a=1"],
    [{}, { api_key: "k3y" }, { "x-api-key": "k3y" }, "/v1/orders?a=1"],
    [{ header_name: "X-Own" }, { api_key: "k3y" }, { "x-own": "k3y" }, "/v1/orders?a=1"],
    [{ query_name: "key" }, { api_key: "k3y" }, {}, "/v1/orders?a=1&key=k3y"],
  ];
  for (const [index, [settings, secrets, headers, url]] of kinds.entries()) {
    const name = `c${index}`;
    const { id } = await outside.addConnection({
      name,
      connector: "http",
      settings: { ...base, ...settings },
      secrets,
    });
    await outside.publishCall({ connectionId: id }, name);
    const run = await outside.test.runToEnd(name, { method: "GET", url: "/orders", query: { a: 1 } });
    expect(run.status).toBe("succeeded");
    expect(service.requests.at(-1)).toMatchObject({ url, headers });
    const elsewhere = await outside.test.runToEnd(name, { method: "GET", url: "http://example.com/" });
    expect(elsewhere.error?.message).toContain("can't be used for example.com");
  }
  expect(service.requests).toHaveLength(kinds.length);
});
