import { expect, it } from "vitest";
import { defaultLimits } from "../../src/contract/limits.ts";
import { testRuntime } from "../support/runtime.ts";
import { greet } from "../support/workflows.ts";

const start = Date.parse("2026-01-15T10:00:00.000Z");

function withRate(business: number) {
  return { limits: { requestsPerMinute: { ...defaultLimits.requestsPerMinute, business } } };
}

function rates({ headers }: { headers: Headers }) {
  return ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"].map((name) =>
    headers.get(name),
  );
}

it("every authenticated answer says how the window stands, whatever its status", async () => {
  const runtime = await testRuntime(withRate(5));
  const reset = String(start / 1000 + 60);
  expect(rates(await runtime.get("/actions"))).toEqual(["5", "4", reset, null]);
  expect(rates(await runtime.get("/runs?limit=0"))).toEqual(["5", "3", reset, null]);
  expect(rates(await runtime.get("/actions/missing"))).toEqual(["5", "2", reset, null]);
  expect(rates(await runtime.get("/nowhere"))).toEqual(["5", "1", reset, null]);
});

it("the request over the limit is refused, and a client that waits exactly retry-after is let through", async () => {
  const runtime = await testRuntime(withRate(3));
  for (const ms of [0, 700, 900]) {
    runtime.clock.advance(ms);
    expect((await runtime.get("/actions")).status).toBe(200);
  }
  runtime.clock.advance(250);
  const refused = await runtime.get("/actions");
  expect([refused.status, refused.body]).toEqual([429, { error: "Rate limit exceeded", code: "RATE_LIMIT_EXCEEDED" }]);
  expect(rates(refused)).toEqual(["3", "0", String(start / 1000 + 60), "59"]);
  runtime.clock.advance(58_000);
  expect((await runtime.get("/actions")).status).toBe(429);
  runtime.clock.advance(1_000);
  expect((await runtime.get("/actions")).status).toBe(200);
  expect((await runtime.get("/actions")).status).toBe(200);
  expect((await runtime.get("/actions")).status).toBe(429);
});

it("refused calls and calls without a key do not count, and each key has a window of its own", async () => {
  const runtime = await testRuntime(withRate(2));
  const other = await runtime.mintKey();
  for (let index = 0; index < 10; index++) await runtime.get("/actions", "nobody");
  expect((await runtime.get("/actions")).headers.get("x-ratelimit-remaining")).toBe("1");
  for (let index = 0; index < 10; index++) await runtime.get("/actions");
  runtime.clock.advance(60_000);
  expect((await runtime.get("/actions")).headers.get("x-ratelimit-remaining")).toBe("1");
  expect((await runtime.get("/actions", other.secret)).headers.get("x-ratelimit-remaining")).toBe("1");
});

it("the rate is checked before the scope", async () => {
  const runtime = await testRuntime({ ...withRate(1), scopes: ["workflows:run"] });
  expect((await runtime.get("/actions")).status).toBe(403);
  expect((await runtime.get("/actions")).status).toBe(429);
});

it("a user's hourly cap refuses the run with the time to wait; dry runs do not count", async () => {
  const runtime = await testRuntime({ limits: { runsPerHour: 2 } });
  await runtime.publish(greet);
  const run = (dry_run = false) => runtime.post("/actions/greet/run", { input: { name: "Ada" }, dry_run });
  expect((await run()).status).toBe(202);
  runtime.clock.advance(600_500);
  expect((await run()).status).toBe(202);
  for (let index = 0; index < 3; index++) expect((await run(true)).status).toBe(202);
  const refused = await run();
  const details = [{ limit: "runs_per_hour", retry_after_seconds: 3000 }];
  expect([refused.status, refused.body]).toEqual([
    429,
    { error: "Rate limit exceeded", code: "RATE_LIMIT_EXCEEDED", details },
  ]);
  expect(rates(refused).slice(1)).toEqual(["0", expect.any(String), "3000"]);
  runtime.clock.advance(3_000_000);
  expect((await run()).status).toBe(202);
});
