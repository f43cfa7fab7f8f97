import fc from "fast-check";
import { expect, it } from "vitest";
import { errorBody } from "../../src/contract/error-body.ts";
import { errorStatus } from "../../src/contract/errors.ts";
import type { Operation } from "../../src/daemon/operation.ts";
import { operations } from "../../src/daemon/operations/index.ts";
import { type FuzzedRequest, requestFor } from "../support/fuzzed-request.ts";
import { type TestRuntime, bearer, testRuntime } from "../support/runtime.ts";
import { greet } from "../support/workflows.ts";

/** Cases of each endpoint; 2,000 are for a long look. */
const numRuns = Number(process.env["STEPGATE_FUZZ"] ?? 100);
const timeout = 20_000 + numRuns * 100;

const gated = greet.replaceAll("greet", "gated").replace("name: Greet\n", "name: Gated\napproval_policy: always\n");
const plenty = { free: 1e6, starter: 1e6, pro: 1e6, business: 1e6 };

/** A runtime with an action that runs, one that asks first, and a run of each. */
async function ready(): Promise<{ runtime: TestRuntime; known: string[] }> {
  const runtime = await testRuntime({ limits: { requestsPerMinute: plenty, runsPerHour: 1e6 } });
  await runtime.publish(greet);
  await runtime.publish(gated);
  const { run_id: done } = await runtime.runToEnd("greet", { name: "Ada" });
  const { body } = await runtime.post<{ run_id: string }>("/actions/gated/run", { input: { name: "Ada" } });
  return { runtime, known: ["greet", "gated", done, body.run_id] };
}

/** Sends a request and lets the time pass for which it may ask to be held. */
async function send(runtime: TestRuntime, { method, path, headers, body }: FuzzedRequest): Promise<Response> {
  const init = { headers: { ...headers, ...bearer(runtime.secret) }, body: method === "GET" ? null : body };
  const answer = runtime.request(method, path, init);
  await runtime.settled();
  runtime.clock.advance(61_000);
  return answer;
}

async function check(operation: Operation, runtime: TestRuntime, request: FuzzedRequest): Promise<void> {
  const answer = await send(runtime, request);
  if (answer.headers.get("content-type") === "text/event-stream") {
    expect([answer.status, operation.stream !== null]).toEqual([200, true]);
    return answer.body?.cancel();
  }
  const body: unknown = await answer.json();
  if (answer.status < 300) {
    expect(operation.output.safeParse(body).error?.issues).toBeUndefined();
  } else {
    const { code } = errorBody.strict().parse(body);
    expect([answer.status, answer.status === 500]).toEqual([errorStatus[code], false]);
  }
  expect(runtime.logged).toEqual([]);
}

it.each(operations.map((operation) => [operation.name, operation] as const))(
  "whatever %s is sent, it answers well or refuses in the shape of every error",
  { timeout },
  async (_, operation) => {
    const { runtime, known } = await ready();
    const property = fc.asyncProperty(requestFor(operation, known), async (request) =>
      check(operation, runtime, request),
    );
    await fc.assert(property, { numRuns });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  },
);

const hook = `
name: Fuzzed
nodes:
  - {id: trigger, type: trigger, data: {kind: webhook SECRET}}
  - {id: kept, type: set, data: {assignments: [{id: a, key: body, value: "{{trigger.output.body}}"}]}}
edges: [trigger -> kept]
`;

it("whatever a webhook is sent, it starts a run or refuses in the shape of every error", { timeout }, async () => {
  const { runtime } = await ready();
  const texts = [hook.replace(" SECRET", ""), hook.replace(" SECRET", ", secret: fuzzed").replace("Fuzzed", "Signed")];
  const published = await Promise.all(texts.map((text) => runtime.publish(text)));
  const paths = published.map(({ published: [file] }) => `/${new URL(file?.webhook_url ?? "").pathname}`);
  const text = fc.string({ unit: fc.constantFrom("v", "1", ",", "=", " ", "t", "a", "0", "é", "\t"), maxLength: 40 });
  const times = fc.constantFrom("0", "-1", "1768471200", "9".repeat(30), "1e3", "");
  const signature = fc.oneof(
    text,
    fc.base64String().map((mac) => `v1,${mac}`),
    fc.constantFrom("sha256=", "t=,v1="),
  );
  const headers = fc.record(
    {
      "content-type": text,
      "webhook-id": text,
      "webhook-timestamp": times,
      "webhook-signature": signature,
      "x-hub-signature-256": signature,
      "stripe-signature": signature,
      "x-github-delivery": text,
    },
    { requiredKeys: [] },
  );
  const odd = fc.constantFrom("", "\ufeff{}", '{"__proto__":{"polluted":true}}', "[".repeat(100), "\ud800", "1e999");
  const body = fc.oneof(fc.json(), fc.string({ unit: "binary" }), odd);
  const query = fc.constantFrom("", "?", "?a=1&a=2", "?%", "?__proto__=1&constructor=2", "?a=%ff");
  const path = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...paths) },
    fc.constantFrom("//webhooks/", "//webhooks/%", "//webhooks/__proto__"),
  );
  const property = fc.asyncProperty(path, query, headers, body, async (to, search, given, sent) => {
    const kept = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.trim()]));
    const answer = await runtime.request("POST", to + search, { headers: kept, body: sent });
    const reply: unknown = await answer.json();
    if (answer.status !== 202) {
      const { code } = errorBody.strict().parse(reply);
      expect([answer.status, answer.status === 500]).toEqual([errorStatus[code], false]);
    } else expect(reply).toEqual({ accepted: true, run_id: expect.any(String) });
    expect(runtime.logged).toEqual([]);
  });
  await fc.assert(property, { numRuns: numRuns * 3 });
  await runtime.settled();
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

it("whatever /mcp is sent, it answers with JSON-RPC and never with an error of its own", { timeout }, async () => {
  const { runtime, known } = await ready();
  const tools = operations.flatMap(({ tool }) => (tool ? [tool.name] : []));
  const call = fc.record({
    jsonrpc: fc.constantFrom("2.0", "1.0"),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    method: fc.constantFrom("tools/call", "tools/list", "ping", "resources/read", "prompts/get", "nothing"),
    params: fc.oneof(
      fc.record({
        name: fc.constantFrom(...tools, "none"),
        arguments: fc.oneof(
          fc.dictionary(
            fc.constantFrom("slug", "run_id", "input", "limit", "decision"),
            fc.oneof(fc.constantFrom(...known), fc.jsonValue()),
          ),
          fc.jsonValue(),
        ),
      }),
      fc.jsonValue(),
    ),
  });
  const body = fc.oneof({ weight: 4, arbitrary: call.map((each) => JSON.stringify(each)) }, fc.json(), fc.string());
  const property = fc.asyncProperty(body, async (text) => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const answer = await send(runtime, { method: "POST", path: "//mcp", headers, body: text });
    expect(answer.status).toBeLessThan(500);
    const reply = await answer.text();
    if (reply !== "") expect(JSON.parse(reply)).toBeTypeOf("object");
    // -32603 is what an error of the service's own would be.
    expect(reply).not.toMatch(/-32603|INTERNAL_ERROR/);
    expect(runtime.logged).toEqual([]);
  });
  await fc.assert(property, { numRuns });
});
