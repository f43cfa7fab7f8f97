import { expect, it } from "vitest";
import { defaultLimits } from "../../src/contract/limits.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";

const requestsPerMinute = { ...defaultLimits.requestsPerMinute, business: 5 };
const left = async (runtime: TestRuntime) =>
  Number((await runtime.get("/actions")).headers.get("x-ratelimit-remaining"));

it("requests count on after a restart, each for its own minute", async () => {
  const runtime = await testRuntime({ limits: { requestsPerMinute } });
  expect(await left(runtime)).toBe(4);
  runtime.clock.advance(10_000);
  expect(await left(runtime)).toBe(3);
  await runtime.restart(20_000);
  expect(await left(runtime)).toBe(2);
  await runtime.restart(29_999);
  expect(await left(runtime)).toBe(1);
  // The first one is a minute old now.
  runtime.clock.advance(1);
  expect(await left(runtime)).toBe(1);
  await runtime.restart(60_000);
  expect(await left(runtime)).toBe(4);
});

it("a key over its rate stays refused over a restart, until exactly when it was told", async () => {
  const runtime = await testRuntime({ limits: { requestsPerMinute } });
  for (let n = 0; n < 5; n++) await runtime.get("/actions");
  await runtime.restart(1_000);
  const refused = await runtime.get("/actions");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "59"]);
  runtime.clock.advance(58_999);
  expect((await runtime.get("/actions")).status).toBe(429);
  runtime.clock.advance(1);
  expect((await runtime.get("/actions")).status).toBe(200);
});

it("requests are saved once a second, together; without requests nothing is written", async () => {
  const runtime = await testRuntime();
  const commits = () => runtime.store.stats().commits;
  const before = commits();
  for (let n = 0; n < 50; n++) await runtime.get("/actions");
  expect(commits()).toBe(before);
  runtime.clock.advance(1_000);
  await runtime.settled();
  expect(commits()).toBe(before + 1);
  runtime.clock.advance(50_000);
  await runtime.settled();
  expect(commits()).toBe(before + 1);
  const saved = await runtime.store.readHits(0);
  expect(saved.map(({ times }) => times.length)).toEqual([50]);
});

it("REST and MCP share one budget: one POST is one request", async () => {
  const runtime = await testRuntime({ limits: { requestsPerMinute } });
  expect(await left(runtime)).toBe(4);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = {
    authorization: `Bearer ${runtime.secret}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const answer = await runtime.request("POST", "//mcp", { headers, body });
  expect(answer.headers.get("x-ratelimit-remaining")).toBe("3");
  expect(await left(runtime)).toBe(2);
});
