import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryDelayMs } from "./backoff.ts";

const least = () => 0;
const most = () => 0.999_999_999;

const waits: [attempt: number, from: number, to: number][] = [
  [1, 500, 1000],
  [2, 1000, 2000],
  [3, 2000, 4000],
  [5, 8000, 16_000],
  [6, 15_000, 30_000],
  [10, 15_000, 30_000],
  [5000, 15_000, 30_000],
];

it.each(waits)("before retry %i the wait is between %i and %i ms", (attempt, from, to) => {
  expect(retryDelayMs({ attempt, random: least })).toBe(from);
  expect(retryDelayMs({ attempt, random: most })).toBe(to);
});

it("base and ceiling can be set", () => {
  expect(retryDelayMs({ attempt: 3, random: most, baseMs: 10, maxMs: 25 })).toBe(25);
  expect(retryDelayMs({ attempt: 2, random: most, baseMs: 10, maxMs: 25 })).toBe(20);
  expect(retryDelayMs({ attempt: 1, random: least, baseMs: 0 })).toBe(0);
});

describe("retryAfterMs", () => {
  const cases: [retryAfterMs: number | undefined, delay: number][] = [
    [undefined, 1000],
    [0, 1000],
    [-5, 1000],
    [999, 1000],
    [1001, 1001],
    [59_999, 59_999],
    [60_000, 60_000],
    [86_400_000, 60_000],
  ];

  it.each(cases)(
    "of %j makes the wait %i ms: it only ever lengthens it, to a minute at most",
    (retryAfterMs, delay) => {
      expect(retryDelayMs({ attempt: 1, retryAfterMs, random: most })).toBe(delay);
    },
  );

  it("does not shorten a back-off that is set to more than a minute", () => {
    expect(retryDelayMs({ attempt: 20, retryAfterMs: 70_000, random: most, maxMs: 120_000 })).toBe(120_000);
  });
});

it("every wait is a whole number of ms inside its bounds", () => {
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), unit, (attempt, drawn) => {
      const ceiling = Math.min(30_000, 1000 * 2 ** (attempt - 1));
      const delay = retryDelayMs({ attempt, random: () => drawn });
      expect(Number.isInteger(delay) && delay >= ceiling / 2 && delay <= ceiling).toBe(true);
    }),
  );
});
