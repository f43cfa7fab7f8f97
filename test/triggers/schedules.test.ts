import { describe, expect, test } from "vitest";
import type { SchedulePreview } from "../../src/contract/schedule.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import { passSchedule } from "../../src/engine/schedule/pass-schedule.ts";
import { type RuntimeOptions, type TestRuntime, testRuntime } from "../support/runtime.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A workflow with a schedule, that does nothing or what its node does. */
function scheduled(trigger: string, name = "tick", node = "{id: mark, type: noop}"): string {
  return `name: ${name}\nnodes:\n  - {id: trigger, type: trigger, data: {kind: schedule, ${trigger}}}\n  - ${node}\nedges: [trigger -> mark]\n`;
}

const everyMinute = scheduled("mode: interval, seconds: 60");
const held = "{id: mark, type: wait, data: {mode: duration, amount: 90, unit: minutes}}";

/** Runs are not capped here: what fires when is the question. */
async function scheduler(workflows: string[], options: RuntimeOptions = {}) {
  const limits = { runsPerHour: 1_000_000, ...options.limits };
  const t = await testRuntime({ now: "2026-01-15T10:00:00.000Z", ...options, limits });
  for (const workflow of workflows) await t.publish(workflow);
  return t;
}

/** The moments of all firings, in order, and each run's own. */
async function firings(t: TestRuntime): Promise<string[]> {
  const fired: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += 100) {
    const { runs, total: all } = await t.store.listRuns({ workspaceId: 1, source: "schedule", limit: 100, offset });
    total = all;
    const inputs = await Promise.all(runs.map(async ({ id }) => (await t.store.findRun(1, id))?.input));
    fired.push(...inputs.map((input) => (input as { timestamp: string }).timestamp));
  }
  return fired.toReversed();
}

async function advance(t: TestRuntime, ms: number, stepMs = minute): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    t.clock.advance(Math.min(stepMs, left));
    await t.settled();
  }
}

const at = (time: string) => `2026-01-15T${time}:00.000Z`;

async function triggerId(t: TestRuntime): Promise<string> {
  const [subscription] = await t.store.listSubscriptions(1);
  return subscription?.id ?? "";
}

test("without a scheduler firings pass by, and the trigger still tells when the next one would be", async () => {
  const t = await scheduler([everyMinute], { firesSchedules: false });
  await advance(t, 5 * minute);
  expect(await firings(t)).toEqual([]);
  expect(await t.store.listMoments("schedule")).toMatchObject([{ at: Date.parse(at("10:06")) }]);
});

describe("an interval", () => {
  test("fires from its activation on, and a run hears of its slot", async () => {
    const t = await scheduler([scheduled("mode: interval, seconds: 90")]);
    await advance(t, 4.5 * minute, 30_000);
    expect(await firings(t)).toEqual(["2026-01-15T10:01:30.000Z", at("10:03"), "2026-01-15T10:04:30.000Z"]);
    const { body } = await t.get<{ runs: { run_id: string }[] }>("/runs?source=scheduler&limit=1");
    const { body: run } = await t.get<RunDetail>(`/runs/${body.runs[0]?.run_id}`);
    expect(run).toMatchObject({ source: "schedule", status: "succeeded" });
    const output = { timestamp: "2026-01-15T10:04:30.000Z", scheduleType: "interval", expression: "every 90s" };
    expect(await t.store.findRun(1, run.run_id)).toMatchObject({ input: output });
  });

  test("keeps its beat across publishes that leave it as it is, and begins anew when it changes", async () => {
    const t = await scheduler([scheduled("mode: interval, seconds: 600")]);
    await advance(t, 5 * minute);
    await t.publish(scheduled("mode: interval, seconds: 600", "tick", "{id: mark, type: noop, data: {label: other}}"));
    await advance(t, 6 * minute);
    expect(await firings(t)).toEqual([at("10:10")]);
    await t.publish(scheduled("mode: interval, seconds: 300"));
    await advance(t, 6 * minute);
    expect(await firings(t)).toEqual([at("10:10"), at("10:16")]);
    await t.publish(scheduled('mode: cron, expression: "0 * * * *"'));
    await advance(t, hour);
    expect(await firings(t)).toEqual([at("10:10"), at("10:16"), at("11:00")]);
  });

  test("is bounded at publish, by the limit of this machine too", async () => {
    const t = await scheduler([]);
    await expect(t.publish(scheduled("mode: interval, seconds: 59"))).rejects.toThrow("must be at least 60");
    await expect(t.publish(scheduled("mode: interval, seconds: 86401"))).rejects.toThrow("at most 86400");
    const quick = await scheduler([scheduled("mode: interval, seconds: 5")], { limits: { scheduleMinSeconds: 5 } });
    await advance(quick, 11_000, 1000);
    expect(await firings(quick)).toHaveLength(2);
  });
});

test("a schedule that is paused fires nothing, and makes nothing up when it goes on", async () => {
  const t = await scheduler([everyMinute]);
  await advance(t, minute);
  const id = await triggerId(t);
  await t.control("POST", `/control/triggers/${id}/disable`);
  await advance(t, 30 * minute);
  expect(await firings(t)).toEqual([at("10:01")]);
  expect(await t.store.listMoments("schedule")).toEqual([]);
  await t.control("POST", `/control/triggers/${id}/enable`);
  await advance(t, 2 * minute);
  expect(await firings(t)).toEqual([at("10:01"), at("10:32"), at("10:33")]);
});

test("a workflow that is deleted fires no more; one whose failures paused it neither", async () => {
  const stop = "{id: mark, type: stop_and_error, data: {errorMessage: no}}";
  const t = await scheduler([everyMinute, scheduled("mode: interval, seconds: 60", "failing", stop)], {
    limits: { autoPauseAfter: 2 },
  });
  await advance(t, 2 * minute);
  expect(await firings(t)).toHaveLength(4);
  await advance(t, 2 * minute);
  expect(await firings(t)).toHaveLength(6);
  const tick = (await t.store.listSubscriptions(1)).find(({ workflowName }) => workflowName === "tick");
  await t.store.deleteWorkflow({ workspaceId: 1, workflowId: tick?.workflowId ?? "", at: t.clock.now().getTime() });
  await advance(t, 2 * minute);
  expect(await firings(t)).toHaveLength(6);
  expect(await t.store.listMoments("schedule")).toEqual([]);
});

describe("of the firings that nobody was there for", () => {
  const cases: [what: string, trigger: string, downMs: number, made: string[]][] = [
    ["an interval makes up the latest", "mode: interval, seconds: 600", 35 * minute, [at("10:30")]],
    ["one with missed: skip makes up none", "mode: interval, seconds: 600, missed: skip", 35 * minute, []],
    ["a cron expression makes up the latest", 'mode: cron, expression: "*/20 * * * *"', 50 * minute, [at("10:40")]],
    ["what is an hour old is left", 'mode: cron, expression: "30 10 * * *"', 91 * minute, []],
    ["what is not quite is not", 'mode: cron, expression: "30 10 * * *"', 89 * minute, [at("10:30")]],
    ["even of a week only one is made up", "mode: interval, seconds: 60", 7 * day, ["2026-01-22T10:00:00.000Z"]],
  ];

  test.each(cases)("%s", async (_, trigger, downMs, made) => {
    const t = await scheduler([scheduled(trigger)]);
    await t.restart(downMs);
    await t.settled();
    expect(await firings(t)).toEqual(made);
  });

  test.each([
    ["once", [at("10:10")]],
    ["skip", []],
  ])("one that came in a short break was missed too: with missed: %s", async (missed, made) => {
    const t = await scheduler([scheduled(`mode: interval, seconds: 600, missed: ${missed}`)]);
    await advance(t, 590_000);
    await t.restart(20_000);
    await t.settled();
    expect(await firings(t)).toEqual(made);
  });

  test("a machine that slept makes up one as well", async () => {
    const t = await scheduler([everyMinute]);
    t.clock.jump(8 * hour);
    await advance(t, 2 * minute);
    expect((await firings(t)).slice(0, 2)).toEqual([at("18:01"), at("18:02")]);
    expect(t.logged.join("")).toContain("The clock jumped");
  });
});

describe("with overlap: skip a firing is left out while the run of the one before goes on", () => {
  test("and without it is not", async () => {
    const trigger = 'mode: cron, expression: "0 * * * *"';
    const t = await scheduler([
      scheduled(`${trigger}, overlap: skip`, "skips", held),
      scheduled(trigger, "starts", held),
    ]);
    await advance(t, 4 * hour, 10 * minute);
    const runs = await firings(t);
    // Each run takes an hour and a half: every second firing of the one is left out.
    expect(runs.filter((time) => time === at("12:00"))).toHaveLength(1);
    expect(runs.filter((time) => time === at("13:00"))).toHaveLength(2);
    expect(runs).toHaveLength(6);
  });
});

test("ten restarts neither lose a firing nor repeat one", async () => {
  const t = await scheduler([everyMinute, scheduled('mode: cron, expression: "*/2 * * * *"', "even")]);
  for (let n = 0; n < 10; n += 1) {
    await t.restart(20_000);
    await advance(t, 40_000, 20_000);
  }
  const fired = await firings(t);
  expect(fired.filter((time) => fired.indexOf(time) === fired.lastIndexOf(time))).toHaveLength(5);
  expect(fired).toHaveLength(15);
});

describe("a clock that is set", () => {
  test.each([[hour], [-hour], [30 * day], [-30 * day]])("by %i ms fires no slot twice and goes on", async (jump) => {
    const t = await scheduler([everyMinute]);
    await advance(t, 3 * minute);
    t.clock.jump(jump);
    await advance(t, 3 * minute);
    const before = await firings(t);
    expect(new Set(before).size).toBe(before.length);
    // Back at its time, it fires on, though the slots of the time between are taken.
    t.clock.jump(-jump);
    await advance(t, 10 * minute);
    const after = await firings(t);
    expect(new Set(after).size).toBe(after.length);
    expect(after.slice(-5)).toEqual(["10:12", "10:13", "10:14", "10:15", "10:16"].map(at));
    expect(after.length).toBeLessThanOrEqual(18);
  });
});

test("two daemons on one store fire a slot once", async () => {
  const t = await scheduler([everyMinute]);
  const { services } = t.runtime;
  const owner = await triggerId(t);
  const due = { id: 1, kind: "schedule", owner, at: Date.parse(at("10:01")) } as const;
  // Without the loop of the runtime: both see the same moment at the same time.
  t.clock.jump(minute);
  await Promise.all([passSchedule(services, due), passSchedule(services, due), passSchedule(services, due)]);
  expect(await firings(t)).toEqual([at("10:01")]);
});

test("over the hourly cap a firing is a failed run with the reason, which counts nowhere", async () => {
  const t = await scheduler([everyMinute], { limits: { runsPerHour: 2 } });
  await advance(t, 3 * minute);
  const { runs } = await t.store.listRuns({ workspaceId: 1, source: "schedule", limit: 9, offset: 0 });
  expect(runs.map(({ status }) => status)).toEqual(["failed", "succeeded", "succeeded"]);
  const failed = await t.store.findRun(1, runs[0]?.id ?? "");
  expect(failed).toMatchObject({
    seq: 0,
    error: { code: "RATE_LIMITED", message: "Превышен лимит: не более 2 запусков в час. Повторите позже." },
    input: { timestamp: at("10:03") },
  });
  expect((await t.control("GET", "/control/incidents")).body["incidents"]).toEqual([]);
});

test("where no more runs can wait, the firing is tried again within a minute", async () => {
  const t = await scheduler([scheduled("mode: interval, seconds: 600")], { limits: { maxQueuedRuns: 0 } });
  await advance(t, 10 * minute);
  expect(await firings(t)).toEqual([]);
  Object.assign(t.runtime.services.limits, { maxQueuedRuns: 10 });
  await advance(t, minute);
  expect(await firings(t)).toEqual([at("10:10")]);
});

describe("a cron expression goes by the wall clock of its zone over two changes of the clocks", () => {
  // Local times at which each fires in the night of a change, by hand from the zones' rules.
  const nights: [zone: string, now: string, expected: string[]][] = [
    ["Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"]],
    ["Europe/Berlin", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"]],
    ["America/New_York", "2026-03-07T12:00:00Z", ["2026-03-08T07:00:00.000Z", "2026-03-09T06:30:00.000Z"]],
    ["America/New_York", "2026-10-31T12:00:00Z", ["2026-11-01T07:30:00.000Z", "2026-11-02T07:30:00.000Z"]],
    ["Australia/Sydney", "2026-10-03T12:00:00Z", ["2026-10-03T16:00:00.000Z", "2026-10-04T15:30:00.000Z"]],
    ["Australia/Sydney", "2026-04-04T12:00:00Z", ["2026-04-04T15:30:00.000Z", "2026-04-05T16:30:00.000Z"]],
    ["America/Santiago", "2026-09-05T12:00:00Z", ["2026-09-06T05:30:00.000Z", "2026-09-07T05:30:00.000Z"]],
    ["America/Santiago", "2026-04-04T12:00:00Z", ["2026-04-05T06:30:00.000Z", "2026-04-06T06:30:00.000Z"]],
    ["Asia/Tokyo", "2026-03-28T20:00:00Z", ["2026-03-29T17:30:00.000Z", "2026-03-30T17:30:00.000Z"]],
    ["Asia/Tokyo", "2026-10-24T20:00:00Z", ["2026-10-25T17:30:00.000Z", "2026-10-26T17:30:00.000Z"]],
  ];

  test.each(nights)("in %s from %s on", async (zone, now, expected) => {
    const half = scheduled(`mode: cron, expression: "30 2 * * *", timezone: ${zone}`, "half");
    const t = await scheduler([half], { now });
    await advance(t, 48 * hour, 30 * minute);
    expect(await firings(t)).toEqual(expected);
  });

  test.each(nights)("in %s from %s on, with three hours of downtime around it", async (zone, now, expected) => {
    const t = await scheduler([scheduled(`mode: cron, expression: "30 2 * * *", timezone: ${zone}`)], { now });
    const [first = ""] = expected;
    const downAt = Date.parse(first) - 140 * minute - t.clock.now().getTime();
    await advance(t, downAt, hour);
    await t.restart(3 * hour);
    await advance(t, 26 * hour, 30 * minute);
    expect(await firings(t)).toEqual(expected);
  });
});

describe("a preview", () => {
  test("shows what fires next, by the trigger's id or its workflow's name", async () => {
    const t = await scheduler([scheduled('mode: cron, expression: "0 9 * * MON-FRI", timezone: Europe/Berlin')]);
    for (const reference of [await triggerId(t), "tick"]) {
      const { status, body } = await t.control<SchedulePreview>(
        "GET",
        `/control/triggers/${reference}/preview?count=3`,
      );
      expect([status, body]).toEqual([
        200,
        {
          expression: "0 9 * * MON-FRI",
          timezone: "Europe/Berlin",
          next: ["2026-01-16T08:00:00.000Z", "2026-01-19T08:00:00.000Z", "2026-01-20T08:00:00.000Z"],
        },
      ]);
    }
  });

  test("of an interval counts from its activation, five at a time", async () => {
    const t = await scheduler([scheduled("mode: interval, seconds: 3600")]);
    await advance(t, 30 * minute, 30 * minute);
    const { body } = await t.control<SchedulePreview>("GET", "/control/triggers/tick/preview");
    expect(body).toEqual({
      expression: "every 3600s",
      timezone: "UTC",
      next: ["11:00", "12:00", "13:00", "14:00", "15:00"].map(at),
    });
  });

  test("of what is no schedule, or is not there, is refused", async () => {
    const hook =
      "name: hook\nnodes:\n  - {id: trigger, type: trigger, data: {kind: webhook}}\n  - {id: mark, type: noop}\nedges: [trigger -> mark]\n";
    const t = await scheduler([hook]);
    const status = async (path: string) => (await t.control("GET", `/control/triggers/${path}/preview`)).status;
    expect([await status("hook"), await status("nobody")]).toEqual([400, 404]);
    expect((await t.control("GET", "/control/triggers/hook/preview?count=0")).status).toBe(400);
  });
});

test("triggers list says when each schedule fires next", async () => {
  const t = await scheduler([everyMinute]);
  const { body } = await t.control<{ triggers: object[] }>("GET", "/control/triggers");
  expect(body.triggers).toMatchObject([{ kind: "schedule", status: "active", next_fire_at: at("10:01") }]);
  await t.control("POST", "/control/triggers/tick/disable");
  const paused = await t.control<{ triggers: object[] }>("GET", "/control/triggers");
  expect(paused.body.triggers).toMatchObject([{ status: "paused", next_fire_at: null }]);
});

const refused: [expression: string, reason: string][] = [
  ["0 0 31 2 *", "never comes true"],
  ["61 * * * *", "Invalid value for minute: 61"],
  ["* * * *", "must have 5 fields"],
  ["0 0 0 * * *", "must have 5 fields"],
];

test.each(refused)("the expression %s is refused at publish, with the reason", async (expression, reason) => {
  const t = await scheduler([]);
  await expect(t.publish(scheduled(`mode: cron, expression: "${expression}"`))).rejects.toThrow(reason);
});

test("a zone that there is not is refused at publish", async () => {
  const t = await scheduler([]);
  const workflow = scheduled('mode: cron, expression: "0 9 * * *", timezone: Mars/Base');
  await expect(t.publish(workflow)).rejects.toThrow("IANA time zone");
});
