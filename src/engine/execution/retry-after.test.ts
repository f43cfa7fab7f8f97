import { expect, it } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

const nowMs = Date.parse("2026-11-21T10:00:00Z");

const vectors: [header: string | null | undefined, ms: number | undefined][] = [
  ["0", 0],
  ["120", 120_000],
  ["007", 7000],
  [" 30 ", 30_000],
  ["86400", 86_400_000],
  ["9999999999", 86_400_000],
  ["Sat, 21 Nov 2026 10:01:30 GMT", 90_000],
  ["Saturday, 21-Nov-26 10:01:30 GMT", 90_000],
  ["Sat Nov 21 10:01:30 2026", 90_000],
  ["Sun Nov  6 08:49:37 1994", 0],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
  ["Sat, 21 Nov 2026 09:59:59 GMT", 0],
  ["Wed, 31 Dec 2036 23:59:60 GMT", 86_400_000],
  ["12345678901", undefined],
  ["-5", undefined],
  ["+5", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  ["0x10", undefined],
  ["5s", undefined],
  ["5, 6", undefined],
  ["", undefined],
  [" ", undefined],
  ["٣", undefined],
  ["2026-11-21T10:01:30Z", undefined],
  ["Sat, 21 Nov 2026 10:01:30", undefined],
  ["Sat, 21 Nov 2026 10:01:30 UTC", undefined],
  ["Sat, 21 Nov 2026 10:01:30 +0000", undefined],
  ["sat, 21 nov 2026 10:01:30 gmt", undefined],
  ["Sat, 1 Nov 2026 10:01:30 GMT", undefined],
  ["Mon, 30 Feb 2026 10:01:30 GMT", undefined],
  ["Sat, 21 Nov 2026 25:00:00 GMT", undefined],
  ["tomorrow", undefined],
  [null, undefined],
  [undefined, undefined],
];

it.each(vectors)("%j asks for %j ms", (header, ms) => {
  expect(parseRetryAfter(header, { nowMs })).toBe(ms);
});

it.each([
  ["Sat, 21 Nov 2026 11:00:00 GMT", "Sat, 21 Nov 2026 10:59:50 GMT", 10_000],
  ["Sat, 21 Nov 2026 09:00:00 GMT", "Saturday, 21-Nov-26 08:59:00 GMT", 60_000],
  ["Sat, 21 Nov 2026 10:00:05 GMT", "not a date", 5000],
  ["Sat, 21 Nov 2026 10:00:05 GMT", "60", 5000],
  ["Sat, 21 Nov 2026 10:00:05 GMT", null, 5000],
  ["60", "Sat, 21 Nov 2026 10:59:50 GMT", 60_000],
])("%s in a response of %j asks for %i ms", (header, date, ms) => {
  expect(parseRetryAfter(header, { nowMs, date })).toBe(ms);
});

it("two digits of a year mean the one that is at most 50 years ahead", () => {
  const in1999 = Date.parse("1999-12-31T23:59:00Z");
  expect(parseRetryAfter("Saturday, 01-Jan-00 00:00:00 GMT", { nowMs: in1999 })).toBe(60_000);
  expect(parseRetryAfter("Saturday, 21-Nov-76 10:00:00 GMT", { nowMs })).toBe(86_400_000);
  expect(parseRetryAfter("Sunday, 21-Nov-77 10:00:00 GMT", { nowMs })).toBe(0);
});
