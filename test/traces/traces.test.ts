import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "../../src/daemon/log.ts";
import type { Span } from "../../src/daemon/tracing/span.ts";
import { readTraceparent } from "../../src/daemon/tracing/trace-context.ts";
import { startTracing } from "../../src/daemon/tracing/start-tracing.ts";
import { createTracing } from "../../src/daemon/tracing/tracing.ts";
import { HttpService } from "../support/http-service.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";
import { bearer, testRuntime } from "../support/runtime.ts";
import { flow, waitFor } from "../support/time-workflows.ts";
import { greet } from "../support/workflows.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const caller = `00-${traceId}-00f067aa0ba902b7-01`;
const nap = flow(
  "nap",
  [{ id: "rest", type: "wait", data: waitFor(10, "minutes") }],
  ["action_input -> rest", "rest -> done"],
);
const failing = flow(
  "failing",
  [{ id: "stop", type: "stop_and_error", data: `{errorMessage: "password=hunter2hunter2"}` }],
  ["action_input -> stop", "action_input -> done"],
);

async function traced(workflows = [greet, nap, failing]) {
  const spans: Span[] = [];
  const sink = { send: (span: Span) => void spans.push(span), stop: async () => undefined };
  const runtime = await testRuntime({ tracing: (world) => createTracing(sink, world) });
  for (const workflow of workflows) await runtime.publish(workflow);
  const start = async (slug: string, headers: Record<string, string> = {}, input: object = { name: "Ada" }) => {
    const body = JSON.stringify({ input });
    const init = { headers: { ...bearer(runtime.secret), ...headers }, body };
    const answer = await runtime.request("POST", `/actions/${slug}/run`, init);
    await runtime.settled();
    return ((await answer.json()) as { run_id: string }).run_id;
  };
  const named = (name: string) => spans.filter((span) => span.name === name);
  return { runtime, spans, start, named };
}

const runRoute = "POST /api/v1/runtime/actions/:slug/run";

describe("a trace", () => {
  test("goes from the caller over the call and the run to its steps", async () => {
    const { start, spans, named } = await traced();
    const id = await start("greet", { traceparent: caller });
    const [call] = named(runRoute);
    const [run] = named("run greet");
    expect(call).toMatchObject({
      parent: { traceId, spanId: "00f067aa0ba902b7" },
      kind: "server",
      isError: false,
      attributes: { "http.request.method": "POST", "http.response.status_code": 202 },
    });
    expect(run).toMatchObject({
      parent: { spanId: call?.context.spanId },
      attributes: { "stepgate.run.id": id, "stepgate.run.status": "succeeded", "stepgate.action.slug": "greet" },
    });
    const steps = spans.filter(({ name }) => name.startsWith("step "));
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps) expect(step.parent?.spanId).toBe(run?.context.spanId);
    expect(new Set(spans.map(({ context }) => context.traceId))).toEqual(new Set([traceId]));
    expect(new Set(spans.map(({ context }) => context.spanId)).size).toBe(spans.length);
  });

  test("is one of its own where the caller has none, or a malformed one", async () => {
    const { start, named } = await traced();
    await start("greet");
    await start("greet", { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01` });
    const [first, second] = named(runRoute);
    expect(first?.parent).toBeNull();
    expect(second?.parent).toBeNull();
    expect(first?.context.traceId).not.toBe(second?.context.traceId);
    expect(named("run greet").map(({ parent }) => parent?.spanId)).toEqual([
      first?.context.spanId,
      second?.context.spanId,
    ]);
  });

  test("goes on after a restart, with each span once", async () => {
    const { runtime, start, named } = await traced();
    const id = await start("nap", { traceparent: caller });
    expect(named("run nap")).toEqual([]);
    await runtime.restart(5 * 60_000);
    runtime.clock.advance(5 * 60_000);
    await runtime.settled();
    const [run, ...more] = named("run nap");
    expect(more).toEqual([]);
    expect(run).toMatchObject({ context: { traceId }, attributes: { "stepgate.run.id": id } });
    expect(named("step rest")).toMatchObject([{ context: { traceId }, parent: { spanId: run?.context.spanId } }]);
    const [rest] = named("step rest");
    expect((rest?.endedAt ?? 0) - (rest?.startedAt ?? 0)).toBe(600_000);
  });

  test("a failure is told by its code, and nothing of a payload is in it", async () => {
    const { start, named, spans } = await traced();
    await start("failing", {}, { name: "canary-4711" });
    const code = "WORKFLOW_STOPPED";
    expect(named("run failing")).toMatchObject([{ isError: true, attributes: { "error.type": code } }]);
    expect(named("step stop")).toMatchObject([{ isError: true, attributes: { "error.type": code } }]);
    expect(JSON.stringify(spans)).not.toMatch(/hunter2|canary|sgt_/);
  });

  test("that is not sampled is handed on and not recorded", async () => {
    const { runtime, start } = await traced();
    const id = await start("greet", { traceparent: `00-${traceId}-00f067aa0ba902b7-00` });
    const { traceparent } = (await runtime.store.findRun(1, id)) ?? {};
    expect(readTraceparent(traceparent)).toMatchObject({ traceId, isSampled: false });
  });

  test("goes on from the sender of a webhook, and a schedule's run has one of its own", async () => {
    const { runtime, named } = await traced([
      "name: hook\nnodes:\n  - {id: trigger, type: trigger, data: {kind: webhook}}\n  - {id: mark, type: noop}\nedges: [trigger -> mark]\n",
      "name: tick\nnodes:\n  - {id: trigger, type: trigger, data: {kind: schedule, mode: interval, seconds: 60}}\n  - {id: mark, type: noop}\nedges: [trigger -> mark]\n",
    ]);
    const hook = (await runtime.store.listSubscriptions(1)).find(({ kind }) => kind === "webhook");
    const init = { headers: { traceparent: caller }, body: "{}" };
    expect((await runtime.request("POST", `//webhooks/${hook?.id}`, init)).status).toBe(202);
    await runtime.settled();
    const [call] = named("POST /webhooks/:id");
    expect(named("run")).toMatchObject([{ context: { traceId }, parent: { spanId: call?.context.spanId } }]);
    runtime.clock.advance(60_000);
    await runtime.settled();
    const [, fired] = named("run");
    expect(fired).toMatchObject({ parent: null, attributes: { "stepgate.run.source": "schedule" } });
    expect(fired?.context.traceId).not.toBe(traceId);
  });

  test("of a tool call has the tool's name, and joins the trace of the message", async () => {
    const { runtime, named } = await traced();
    const call = async (name: string) =>
      runtime.request("POST", "//mcp", {
        headers: { ...bearer(runtime.secret), "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: { slug: "greet", input: { name: "Ada" } }, _meta: { traceparent: caller } },
        }),
      });
    expect((await call("run_action")).status).toBe(200);
    await call("secret tool");
    await runtime.settled();
    const [span] = named("tools/call run_action");
    expect(span).toMatchObject({ parent: { traceId }, attributes: { "gen_ai.tool.name": "run_action" } });
    expect(named("run greet")).toMatchObject([{ context: { traceId }, parent: { spanId: span?.context.spanId } }]);
    expect(named("tools/call")).toHaveLength(1);
  });

  test("has no addresses in it: ids and tokens stay out of names", async () => {
    const { runtime, spans } = await traced();
    await runtime.request("GET", "/runs/01980000-0000-7000-8000-000000000000", { headers: bearer(runtime.secret) });
    await runtime.request("POST", "//webhooks/a-secret-id", { body: "{}" });
    await runtime.request("GET", "//approvals/1.a.token");
    await runtime.request("GET", "//healthz");
    await runtime.request("GET", "/nowhere/canary", { headers: bearer(runtime.secret) });
    expect(spans.map(({ name }) => name)).toEqual([
      "GET /api/v1/runtime/runs/:run_id",
      "POST /webhooks/:id",
      "GET /api/v1/runtime/*",
    ]);
  });
});

test("a step's requests carry its place in the trace, and one that says another keeps it", async () => {
  const service = await HttpService.start();
  const spans: Span[] = [];
  const sink = { send: (span: Span) => void spans.push(span), stop: async () => undefined };
  const outside = await outsideRuntime({ tracing: (world) => createTracing(sink, world) });
  await outside.publishCall();
  await outside.test.runToEnd("call", { method: "GET", url: service.url });
  await outside.test.runToEnd("call", { method: "GET", url: service.url, headers: { traceparent: caller } });
  const [first, second] = service.requests;
  const step = spans.find(({ name }) => name === "step call");
  expect(readTraceparent(first?.headers["traceparent"])).toEqual(step?.context);
  expect(second?.headers["traceparent"]).toBe(caller);
});

test("without traces requests carry none", async () => {
  const service = await HttpService.start();
  const outside = await outsideRuntime();
  await outside.publishCall();
  await outside.test.runToEnd("call", { method: "GET", url: service.url });
  expect(service.requests[0]?.headers).not.toHaveProperty("traceparent");
});

test("without a trace nothing of one is stored", async () => {
  const runtime = await testRuntime();
  await runtime.publish(greet);
  const headers = { ...bearer(runtime.secret), traceparent: caller };
  const answer = await runtime.request("POST", "/actions/greet/run", { headers, body: '{"input":{"name":"Ada"}}' });
  const { run_id: id } = (await answer.json()) as { run_id: string };
  expect(await runtime.store.findRun(1, id)).toMatchObject({ traceparent: null });
});

type Received = { resourceSpans: { resource: object; scopeSpans: { spans: Record<string, unknown>[] }[] }[] };

/** A collector that takes what OTLP/HTTP sends, as its JSON says it. */
async function collector(status = 200) {
  const received: { path: string; body: Received }[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.push({ path: request.url ?? "", body: body as Received });
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function tracedTo(endpoint: string) {
  const lines: string[] = [];
  const log = createLog({ format: "json", level: "warn", write: (line) => void lines.push(line) });
  const now = () => new Date("2026-01-15T10:00:00.500Z");
  const tracing = await startTracing(endpoint, "9.9.9", log, { now });
  const runtime = await testRuntime({ tracing: () => tracing });
  await runtime.publish(greet);
  const headers = { ...bearer(runtime.secret), traceparent: caller };
  await runtime.request("POST", "/actions/greet/run?wait=60", { headers, body: '{"input":{"name":"Ada"}}' });
  await tracing.stop();
  return lines;
}

test("a collector gets the spans over OTLP/HTTP, with their trace and their time", async () => {
  const { received, endpoint } = await collector();
  expect(await tracedTo(`${endpoint}/`)).toEqual([]);
  expect(received.map(({ path }) => path)).toEqual(["/v1/traces"]);
  const spans = received
    .flatMap(({ body }) => body.resourceSpans.flatMap((each) => each.scopeSpans))
    .flatMap((each) => each.spans);
  const call = spans.find(({ name }) => name === runRoute);
  expect(call).toMatchObject({
    traceId,
    parentSpanId: "00f067aa0ba902b7",
    kind: 2,
    startTimeUnixNano: `${BigInt(Date.parse("2026-01-15T10:00:00.500Z")) * 1_000_000n}`,
  });
  expect(spans.find(({ name }) => name === "run greet")).toMatchObject({ traceId, parentSpanId: call?.["spanId"] });
  expect(JSON.stringify(received[0]?.body.resourceSpans[0]?.resource)).toContain('"stringValue":"stepgate"');
});

test("a collector that fails is told of in the log and harms nothing", async () => {
  const { endpoint } = await collector(400);
  expect((await tracedTo(endpoint)).join("")).toContain("Traces could not be sent");
});
