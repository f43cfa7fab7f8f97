import { expect, test } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import { defaultLimits } from "../../src/contract/limits.ts";
import { testRuntime } from "../support/runtime.ts";
import { gated } from "../support/time-workflows.ts";
import { greet } from "../support/workflows.ts";

const hour = 3_600_000;
const requestsPerMinute = { ...defaultLimits.requestsPerMinute, business: 5 };

test.each([8 * hour, -8 * hour])("a clock that jumps by %i ms takes the reset of rate limits along", async (jump) => {
  const t = await testRuntime({ limits: { requestsPerMinute } });
  for (let n = 0; n < 4; n += 1) await t.get("/actions");
  t.clock.jump(jump);
  t.clock.advance(10_000);
  const now = t.clock.now().getTime() / 1000;
  const { headers } = await t.get("/actions");
  expect([headers.get("x-ratelimit-remaining"), Number(headers.get("x-ratelimit-reset")) - now]).toEqual(["0", 50]);
  const refused = await t.get("/actions");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "50"]);
});

test("a restart after the machine slept still knows of the requests of the last minute", async () => {
  const t = await testRuntime({ limits: { requestsPerMinute } });
  t.clock.jump(8 * hour);
  for (let n = 0; n < 5; n += 1) await t.get("/actions");
  await t.restart(20_000);
  const refused = await t.get("/actions");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "40"]);
});

test("requests that were counted before the clock was set back burden no later restart", async () => {
  const t = await testRuntime({ limits: { requestsPerMinute } });
  for (let n = 0; n < 4; n += 1) await t.get("/actions");
  t.clock.advance(1_000);
  t.clock.jump(-24 * hour);
  t.clock.advance(60_000);
  await t.get("/actions");
  await t.restart(120_000);
  expect((await t.get("/actions")).headers.get("x-ratelimit-remaining")).toBe("4");
});

test("runs of a clock that was far ahead don't fill the hour of one that is right", async () => {
  const t = await testRuntime({ limits: { runsPerHour: 2 } });
  await t.publish(greet);
  const start = async () => (await t.post("/actions/greet/run", { input: { name: "Ada" } })).status;
  expect([await start(), await start(), await start()]).toEqual([202, 202, 429]);
  // A little is what a time server does: the hour stays full.
  t.clock.jump(-5_000);
  expect(await start()).toBe(429);
  t.clock.jump(-30 * 24 * hour);
  expect([await start(), await start(), await start()]).toEqual([202, 202, 429]);
});

test("a run over which the clock is set back took no negative time", async () => {
  const t = await testRuntime();
  await t.publish(gated);
  const { body } = await t.post<{ run_id: string }>("/actions/gated/run", { input: {} });
  await t.settled();
  t.clock.jump(-hour);
  await t.post(`/runs/${body.run_id}/approve`, { decision: "approved" });
  await t.settled();
  const run = await t.get<RunDetail>(`/runs/${body.run_id}`);
  expect(run.body).toMatchObject({ status: "succeeded", duration_ms: 0 });
  expect((await t.get<{ runs: unknown[] }>("/runs")).body.runs).toMatchObject([{ duration_ms: 0 }]);
});
