import { describe, expect, test } from "vitest";
import { findCronProblem, firingNow, nextFirings, readSchedule } from "./schedule.ts";

const noon = Date.parse("2026-01-15T12:00:00Z");
const minute = 60_000;

function texts(config: Parameters<typeof readSchedule>[0], count: number, after = noon): string[] {
  return nextFirings(readSchedule(config, noon), after, count).map((at) => new Date(at).toISOString().slice(5, 16));
}

const cron = (expression: string, timezone = "UTC") => ({ kind: "schedule", mode: "cron", expression, timezone });
const interval = { kind: "schedule", mode: "interval", seconds: 90 };

describe("a schedule", () => {
  test("by an interval counts from its activation, and never fires at or before it", () => {
    const { next } = readSchedule(interval, noon);
    expect([noon - 5 * minute, noon, noon + 89_999, noon + 90_000].map(next)).toEqual(
      [90_000, 90_000, 90_000, 180_000].map((ms) => noon + ms),
    );
  });

  test("by a cron expression fires strictly after a moment, at whole minutes", () => {
    expect(texts(cron("*/5 * * * *"), 2)).toEqual(["01-15T12:05", "01-15T12:10"]);
    expect(texts(cron("*/5 * * * *"), 1, noon - 1)).toEqual(["01-15T12:00"]);
    expect(texts(cron(" 0 9 * * MON-FRI ", "Asia/Kolkata"), 2)).toEqual(["01-16T03:30", "01-19T03:30"]);
  });

  test("with an hour that a change of the clocks skips fires once after it, with one that comes twice once", () => {
    const spring = Date.parse("2026-03-28T20:00:00Z");
    const autumn = Date.parse("2026-10-24T20:00:00Z");
    expect(texts(cron("0,30 2 * * *", "Europe/Berlin"), 3, spring)).toEqual([
      "03-29T01:00",
      "03-30T00:00",
      "03-30T00:30",
    ]);
    expect(texts(cron("0 1-3 * * *", "Europe/Berlin"), 3, autumn)).toEqual([
      "10-24T23:00",
      "10-25T00:00",
      "10-25T02:00",
    ]);
  });

  test("that an earlier version let pass and nobody can read never fires", () => {
    expect(texts(cron("61 * * * *"), 1)).toEqual([]);
    expect(texts(cron("* * * * *", "Mars/Base"), 1)).toEqual([]);
    expect(firingNow(readSchedule(cron("61 * * * *"), noon), noon, noon, false)).toBeNull();
  });
});

test("a moment that is none of the schedule's, since that changed, fires nothing", () => {
  const schedule = readSchedule(interval, noon);
  expect(firingNow(schedule, noon + 90_000, noon + 90_000, false)).toBe(noon + 90_000);
  expect(firingNow(schedule, noon + 60_000, noon + 90_000, false)).toBeNull();
});

/** The library would take six and seven as well, and says so. */
function fieldsProblem(count: number): string {
  return `is no cron expression: it has ${count} fields and needs five: minute, hour, day of the month, month, day of the week`;
}

test.each([
  ["0 9 * * *", null],
  ["0 0 29 2 *", null],
  ["0 0 30 2 *", "never comes true: there is no such day"],
  ["0 9 * *", fieldsProblem(4)],
  ["0 0 9 * * *", fieldsProblem(6)],
  ["0 25 * * *", "is no cron expression: Invalid value for hour: 25"],
  ["0 0 32 * *", "is no cron expression: Invalid value for day: 32"],
  ["0 0 0 * *", "is no cron expression: Invalid value for day: 0"],
  ["0 0 1 13 *", "is no cron expression: Invalid value for month: 13"],
])("of the expression %s the problem is %s", (expression, problem) => {
  expect(findCronProblem(expression, "UTC", new Date(noon))).toBe(problem);
});
