import { expect, it } from "vitest";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { greet } from "../support/workflows.ts";

async function run(runtime: TestRuntime, extra: object = {}) {
  return runtime.post("/actions/greet/run", { input: { name: "Ada" }, ...extra });
}

it("a workspace's runs of a month are bounded; the refusal says how long the month still is", async () => {
  const runtime = await testRuntime({ now: "2026-01-31T23:00:00.500Z", limits: { monthlyRuns: 2 } });
  await runtime.publish(greet);
  expect((await run(runtime)).status).toBe(202);
  expect((await run(runtime, { dry_run: true })).status).toBe(202);
  expect((await run(runtime)).status).toBe(202);
  const refused = await run(runtime);
  expect([refused.status, refused.body]).toEqual([
    429,
    {
      error: "Rate limit exceeded",
      code: "RATE_LIMIT_EXCEEDED",
      details: [{ limit: "monthly_quota", maximum: 2, retry_after_seconds: 3600 }],
    },
  ]);
  expect([refused.headers.get("retry-after"), refused.headers.get("x-ratelimit-remaining")]).toEqual(["3600", "0"]);
  expect((await run(runtime, { dry_run: true })).status).toBe(202);
  runtime.clock.advance(3_599_499);
  expect((await run(runtime)).status).toBe(429);
  runtime.clock.advance(1);
  expect((await run(runtime)).status).toBe(202);
});

it("of many runs at once exactly the quota begins, and each workspace has its own", async () => {
  const runtime = await testRuntime({ limits: { monthlyRuns: 3 } });
  await runtime.publish(greet);
  const answers = await Promise.all(Array.from({ length: 20 }, () => run(runtime)));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(3);
  const inTeam = { "x-stepgate-workspace": "team" };
  await runtime.control("POST", "/control/workspaces", { name: "team", tier: "free" });
  await runtime.control("POST", "/control/publish", { files: [{ file: "g.yaml", text: greet }] }, inTeam);
  const { body } = await runtime.control<{ secret: string }>("POST", "/control/keys", { name: "k" }, inTeam);
  const theirs = await runtime.post("/actions/greet/run", { input: { name: "Bob" } }, body.secret);
  expect(theirs.status).toBe(202);
});

it("the quota holds for the command line and for replays as well", async () => {
  const runtime = await testRuntime({ limits: { monthlyRuns: 1 } });
  await runtime.publish(greet);
  const { run_id: id } = await runtime.runToEnd("greet", { name: "Ada" });
  const local = await runtime.control("POST", "/api/v1/runtime/actions/greet/run", { input: { name: "Ada" } });
  const replay = await runtime.post(`/runs/${id}/replay`, { from: "start" });
  for (const { status, body } of [local, replay]) {
    expect([status, body["details"]]).toEqual([429, [expect.objectContaining({ limit: "monthly_quota" })]]);
  }
});
