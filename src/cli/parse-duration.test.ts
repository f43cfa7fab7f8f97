import { expect, it } from "vitest";
import { parseDuration, parseMoment } from "./parse-duration.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

it.each([
  ["250ms", 250],
  ["30s", 30_000],
  ["10m", 600_000],
  ["1.5h", 5_400_000],
  ["90d", 7_776_000_000],
  ["2w", 1_209_600_000],
  ["0s", 0],
])("%s is a length of time", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(["", "30", "s", "-5s", "5 s", "5y", "1e3s", "5S", "2026-01-01"])("%j is no length of time", (text) => {
  expect(() => parseDuration(text)).toThrow("must be a length of time such as");
});

it.each([
  ["30s", "ahead", "2026-03-01T12:00:30.000Z"],
  ["1d", "ago", "2026-02-28T12:00:00.000Z"],
  ["2026-12-31", "ago", "2026-12-31T00:00:00.000Z"],
  ["2026-12-31T10:00Z", "ahead", "2026-12-31T10:00:00.000Z"],
  ["2026-12-31T10:00:00.5+02:00", "ahead", "2026-12-31T08:00:00.500Z"],
] as const)("%s %s is a moment", (text, direction, iso) => {
  expect(parseMoment(text, now, direction).toISOString()).toBe(iso);
});

it.each(["tomorrow", "2026-02-31", "2026-13-01T00:00Z", "2026-01-01T10:00", "2026-01-01T25:00Z", "99999999999w"])(
  "%j is no moment",
  (text) => {
    expect(() => parseMoment(text, now, "ahead")).toThrow("must be a length of time such as");
  },
);
