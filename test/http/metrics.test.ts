import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { HttpEnv } from "../../src/daemon/http/serve-operations.ts";
import { defaultLimits } from "../../src/contract/limits.ts";
import { heldCatalogue } from "../support/held-node.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { greet, pass } from "../support/workflows.ts";

/** A request for the metrics, from an address. */
async function scrape(runtime: TestRuntime, from = "127.0.0.1", headers: Record<string, string> = {}) {
  const request = new Request("http://127.0.0.1:7717/metrics", { headers });
  const incoming = { socket: { remoteAddress: from } } as unknown as HttpEnv["Bindings"]["incoming"];
  const answer = await runtime.runtime.runtimeApp(request, incoming ? { incoming } : {});
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}

async function read(runtime: TestRuntime, line: string): Promise<number> {
  const { text } = await scrape(runtime);
  const found = text.split("\n").find((each) => each.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1));
}

it("runs are counted by status, those under way, and those that ended", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const runtime = await testRuntime({ catalogue });
  await runtime.publish(pass);
  expect(await read(runtime, 'stepgate_runs_ended_total{status="succeeded"}')).toBe(0);
  const { body } = await runtime.post<{ run_id: string }>("/actions/pass/run");
  await runtime.started(body.run_id);
  expect(await read(runtime, "stepgate_active_runs")).toBe(1);
  expect(await read(runtime, 'stepgate_runs{status="running"}')).toBe(1);
  letGo();
  await runtime.get(`/runs/${body.run_id}?wait=60`);
  await runtime.settled();
  expect(await read(runtime, "stepgate_active_runs")).toBe(0);
  expect(await read(runtime, 'stepgate_runs{status="running"}')).toBe(0);
  expect(await read(runtime, 'stepgate_runs{status="succeeded"}')).toBe(1);
  expect(await read(runtime, 'stepgate_runs_ended_total{status="succeeded"}')).toBe(1);
});

it("commits, refusals and the process are told of, in the format of Prometheus", async () => {
  const requestsPerMinute = { ...defaultLimits.requestsPerMinute, business: 1 };
  const runtime = await testRuntime({ limits: { requestsPerMinute } });
  await runtime.publish(greet);
  await runtime.get("/actions", "nobody");
  await runtime.get("/actions");
  await runtime.get("/actions");
  await runtime.get("/actions");
  expect(await read(runtime, 'stepgate_requests_refused_total{reason="unauthorized"}')).toBe(1);
  expect(await read(runtime, 'stepgate_requests_refused_total{reason="rate_limit"}')).toBe(2);
  expect(await read(runtime, "stepgate_store_commits_total")).toBe(runtime.store.stats().commits);
  expect(await read(runtime, "stepgate_store_writes_total")).toBeGreaterThan(0);
  expect(await read(runtime, 'stepgate_info{version="0.0.0-test"}')).toBe(1);
  expect(await read(runtime, "process_resident_memory_bytes")).toBeGreaterThan(1e6);
  const { type, text } = await scrape(runtime);
  expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
  for (const line of text.split("\n").filter(Boolean)) {
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
  }
  // Neither a key nor the name of anything of a user's is a label.
  expect(text).not.toMatch(/sgt_|greet|tester/);
});

it("steps are counted by the type of their node and how long they took, once that is durable", async () => {
  const { catalogue, letGo } = heldCatalogue();
  const runtime = await testRuntime({ catalogue });
  await runtime.publish(pass);
  const bucket = async (bound: string, type: string) =>
    read(runtime, `stepgate_step_duration_seconds_bucket{le="${bound}",type="${type}"}`);
  const { body } = await runtime.post<{ run_id: string }>("/actions/pass/run");
  await runtime.started(body.run_id);
  expect((await scrape(runtime)).text).not.toContain('type="noop"');
  runtime.clock.advance(3000);
  letGo();
  await runtime.get(`/runs/${body.run_id}?wait=60`);
  expect([await bucket("2.5", "noop"), await bucket("5", "noop"), await bucket("+Inf", "noop")]).toEqual([0, 1, 1]);
  expect(await read(runtime, 'stepgate_step_duration_seconds_sum{type="noop"}')).toBe(3);
  expect(await read(runtime, 'stepgate_step_duration_seconds_count{type="noop"}')).toBe(1);
  expect(await bucket("0.001", "return_output")).toBe(1);
});

it("an event loop that nothing holds up is not late", async () => {
  const runtime = await testRuntime();
  const median = async () => {
    await setTimeout(200);
    return read(runtime, 'stepgate_event_loop_delay_seconds{quantile="0.5"}');
  };
  await median();
  // Node's own figure has the 20 ms between two looks in it. A machine that is busy otherwise may be late for a while.
  await expect.poll(median, { timeout: 4_000 }).toBeLessThan(0.018);
});

it("every metric is in docs/observability.md and docs/api.md, and nothing else is", async () => {
  const { text } = await scrape(await testRuntime());
  const served = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  for (const page of ["observability", "api"]) {
    const written = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), "utf8");
    const named = [...written.matchAll(/`((?:stepgate|process)_\w+)(?:\{[^}]*\})?`/g)].map(([, name]) => name);
    expect([page, new Set(named)]).toEqual([page, new Set(served)]);
  }
});

const foreign: [name: string, from: string, headers: Record<string, string>][] = [
  ["another machine", "192.168.1.20", {}],
  ["another machine over IPv6", "fe80::1", {}],
  ["a proxy on this machine for another", "127.0.0.1", { "x-forwarded-for": "192.168.1.20" }],
];

it.each(foreign)("%s is refused", async (_, from, headers) => {
  const { status, text } = await scrape(await testRuntime(), from, headers);
  expect([status, JSON.parse(text).code]).toEqual([403, "FORBIDDEN"]);
});

it.each(["127.0.0.1", "127.0.0.53", "::1", "::ffff:127.0.0.1"])("%s is this machine", async (from) => {
  expect((await scrape(await testRuntime(), from)).status).toBe(200);
});
