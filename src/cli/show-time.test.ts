import { expect, it } from "vitest";
import { showDuration, showRelative } from "./show-time.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

it.each([
  ["2026-03-01T12:00:00.000Z", "0s ago"],
  ["2026-03-01T11:59:22.000Z", "38s ago"],
  ["2026-03-01T11:58:01.000Z", "1m ago"],
  ["2026-03-01T02:00:00.000Z", "10h ago"],
  ["2025-03-01T12:00:00.000Z", "365d ago"],
  ["2026-03-01T14:30:00.000Z", "in 2h"],
])("%s is %s", (iso, shown) => {
  expect(showRelative(iso, now)).toBe(shown);
});

it.each([
  [0.4, "0 ms"],
  [840, "840 ms"],
  [1_250, "1.3 s"],
  [303_000, "5m 3s"],
])("%s ms is shown as %s", (ms, shown) => {
  expect(showDuration(ms)).toBe(shown);
});
