import { expect, it } from "vitest";
import { dateBound, readBound } from "./date-bound.ts";

const read: [text: string, from: string, to: string][] = [
  ["2026-03-01", "2026-03-01T00:00:00.000Z", "2026-03-01T23:59:59.999Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z", "2024-02-29T23:59:59.999Z"],
  ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000Z"],
  ["2026-03-01T10:00:00.123Z", "2026-03-01T10:00:00.123Z", "2026-03-01T10:00:00.123Z"],
  ["2026-03-01T10:00:00+03:00", "2026-03-01T07:00:00.000Z", "2026-03-01T07:00:00.000Z"],
  ["2026-03-01T10:00:00 03:00", "2026-03-01T07:00:00.000Z", "2026-03-01T07:00:00.000Z"],
  ["2026-03-01T10:00:00", "2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000Z"],
  ["2026-03-01T10:00Z", "2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000Z"],
];

it.each(read)("reads %s", (text, from, to) => {
  const bound = readBound(dateBound.parse(text));
  expect([new Date(bound.from).toISOString(), new Date(bound.to).toISOString()]).toEqual([from, to]);
});

it.each(["yesterday", "2026-02-30", "2026-13-01", "2026-3-1", "20260301", "2026-03-01T25:00:00Z", "1767225600", "2026"])(
  "refuses %s",
  (text) => {
    expect(dateBound.safeParse(text).error?.issues[0]?.message).toBe("must be an ISO-8601 date or date and time");
  },
);
