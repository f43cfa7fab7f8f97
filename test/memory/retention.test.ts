import { statSync } from "node:fs";
import { expect, test } from "vitest";
import type { RunDetail } from "../../src/contract/run.ts";
import { createSampleRun, publishSample, range, sampleClaim, sampleEvent } from "../../src/store/suite/samples.ts";
import { openDisk, startRuntime } from "../support/process.ts";
import type { TestRuntime } from "../support/runtime.ts";
import { flow, keep } from "../support/time-workflows.ts";

const day = 86_400_000;
const retention = { sealedMs: 7 * day, journalsMs: 10 * day, runsMs: 30 * day, deliveriesMs: 7 * day };
const workflow = flow(
  "flow",
  [{ id: "note", type: "set", data: keep("{{action_input.who}}") }],
  ["action_input -> note", "note -> done"],
);

/** Moves the clock on and lets the hourly pass that comes due then do its work. */
async function passTime(t: TestRuntime, ms: number): Promise<void> {
  t.clock.advance(ms);
  for (let turns = 0; turns < 40; turns += 1) await t.settled();
}

async function setUp(changes: Partial<typeof retention> = {}) {
  const disk = await openDisk();
  const t = await startRuntime(disk.store, { retention: { ...retention, ...changes } });
  await t.publish(workflow);
  return { ...disk, t };
}

test("originals, journals and runs go when their times are over, one after the other", async () => {
  const { store, t } = await setUp();
  const { run_id: id } = await t.runToEnd("flow", { who: "ada@example.com" });
  await passTime(t, 6 * day);
  expect(await store.findSealed(id, "input")).not.toBeNull();
  await passTime(t, 2 * day);
  expect(await store.findSealed(id, "input")).toBeNull();
  expect((await t.get<RunDetail>(`/runs/${id}`)).body.steps).toHaveLength(2);
  expect((await t.post(`/runs/${id}/replay`, {})).status).toBe(400);
  await passTime(t, 3 * day);
  expect((await t.get<RunDetail>(`/runs/${id}`)).body).toMatchObject({ status: "succeeded", steps: [] });
  const answer = await t.post(`/runs/${id}/replay`, {});
  expect([answer.status, answer.body["error"]]).toEqual([400, expect.stringContaining("journal of run")]);
  expect((await t.post(`/runs/${id}/replay`, { input: { who: "Ada" } })).status).toBe(202);
  await passTime(t, 20 * day);
  expect((await t.get(`/runs/${id}`)).status).toBe(404);
});

test("the hour of the next pass is a moment like others, which a restart keeps and a clock that is set back doesn't lose", async () => {
  const { store, t } = await setUp();
  const next = async () => (await store.listMoments("upkeep")).map(({ owner, at }) => [owner, at]);
  const hour = 3_600_000;
  const startedAt = t.clock.now().getTime();
  // Once a start has settled, then every hour.
  expect(await next()).toEqual([["retention", startedAt + 60_000]]);
  await passTime(t, 60_000);
  expect(await next()).toEqual([["retention", startedAt + 60_000 + hour]]);
  await t.restart(600_000);
  expect(await next()).toEqual([["retention", startedAt + 60_000 + hour]]);
  t.clock.jump(-30 * day);
  await passTime(t, 60_000);
  expect(await next()).toEqual([["retention", t.clock.now().getTime() + hour]]);
});

test("originals that are not to be kept are gone a second after the run's end", async () => {
  const { store, t } = await setUp({ sealedMs: 0 });
  const { run_id: id } = await t.runToEnd("flow", { who: "ada@example.com" });
  await passTime(t, 1000);
  expect(await store.findSealed(id, "input")).toBeNull();
  expect(await store.listSealed(id, 0, 100)).toEqual([]);
});

test("the space of what was deleted is given back: the file shrinks while the daemon runs", async () => {
  const { file, t } = await setUp();
  for (let n = 0; n < 40; n += 1) await t.runToEnd("flow", { who: "x".repeat(100_000) });
  await passTime(t, 1000);
  const before = statSync(file).size;
  expect(before).toBeGreaterThan(8_000_000);
  await passTime(t, 31 * day);
  expect((await t.get<{ total: number }>("/runs")).body.total).toBe(0);
  expect(statSync(file).size).toBeLessThan(before / 10);
});

test("ten thousand runs of a year ago go with their journals and originals, and the file is smaller afterwards", async () => {
  const { file, store } = await openDisk();
  const now = Date.parse("2026-11-22T10:00:00.000Z");
  const place = await publishSample(store);
  const payload = new Uint8Array(700).fill(7);
  const ended = async (createdAt: number) => {
    const sealed = [{ place: "input" as const, content: payload }];
    const run = await createSampleRun(store, place, { createdAt, sealed, input: { note: "x".repeat(700) } });
    const steps = [sampleEvent({ createdAt }), sampleEvent({ createdAt, type: "step_completed" })];
    const end = {
      events: steps,
      sealed: [{ place: 1, content: payload }],
      status: "succeeded" as const,
      at: createdAt,
    };
    expect(await store.commitRun(sampleClaim(run, end))).toBe(true);
    return run.id;
  };
  // Those of one turn share a commit.
  for (const hundreds of range(20)) {
    await Promise.all(range(500).map(async (n) => ended(now - 365 * day + hundreds * 500 + n)));
  }
  const kept = await Promise.all(range(10).map(async (n) => ended(now - day + n)));
  const t = await startRuntime(store, { retention, now: new Date(now).toISOString() });
  const left = async () => (await t.get<{ total: number }>("/runs?limit=1")).body.total;
  expect(await left()).toBe(10_010);
  const before = statSync(file).size;
  expect(before).toBeGreaterThan(20_000_000);
  for (let passes = 0; passes < 100 && (statSync(file).size > before / 10 || (await left()) > 10); passes += 1) {
    await passTime(t, passes === 0 ? 60_000 : 0);
  }
  expect(await left()).toBe(10);
  expect(statSync(file).size).toBeLessThan(before / 10);
  for (const id of kept) expect((await t.get(`/runs/${id}`)).status).toBe(200);
});
