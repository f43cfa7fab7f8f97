import fc from "fast-check";
import { expect, it } from "vitest";
import type { BreakerSettings } from "../../src/contract/outside.ts";
import {
  type BreakerState,
  type Verdict,
  afterCall,
  closedBreaker,
  openForMs,
  pauseMs,
} from "../../src/engine/calls/breaker.ts";

const settings: BreakerSettings = { failures: 5, windowSeconds: 300, openSeconds: 30 };
const start = 1_000_000_000;

/** Time passes, and then somebody calls. */
const history = fc.array(
  fc.record({
    wait: fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.constantFrom(0, 1, 30_000, 60_000, 300_000)),
    verdict: fc.constantFrom<Verdict>("failed", "failed", "failed", "answered", "unknown"),
  }),
  { maxLength: 60 },
);

type Seen = { at: number; verdict: Verdict; isTrial: boolean; before: BreakerState; after: BreakerState };

/** The calls that were let through, one after the other. */
function live(calls: readonly { wait: number; verdict: Verdict }[]): Seen[] {
  let now = start;
  let state = closedBreaker;
  const seen: Seen[] = [];
  for (const { wait, verdict } of calls) {
    now += wait;
    const openFor = openForMs(state, now, settings);
    if (openFor !== null && openFor > 0) continue;
    const before = state;
    state = afterCall(state, { verdict, isTrial: openFor === 0, now }, settings);
    seen.push({ at: now, verdict, isTrial: openFor === 0, before, after: state });
  }
  return seen;
}

it("a closed breaker opens exactly when the call is the fifth failure within five minutes since it last closed", () => {
  fc.assert(
    fc.property(history, (calls) => {
      let failures: number[] = [];
      for (const { at, verdict, isTrial, before, after } of live(calls)) {
        if (isTrial) failures = [];
        else if (verdict === "failed") failures.push(at);
        const recent = failures.filter((time) => at - time <= 300_000).length;
        if (!isTrial) expect(after.opening !== null).toBe(verdict === "failed" && recent >= 5);
        if (before.opening === null && after.opening !== null) expect(after.opening).toEqual({ at, times: 1 });
        if (after.opening) failures = [];
      }
    }),
  );
});

it("a trial that fails opens it for longer, one that is answered closes it with no memory, one cut off changes nothing", () => {
  fc.assert(
    fc.property(history, (calls) => {
      for (const { at, verdict, isTrial, before, after } of live(calls)) {
        if (!isTrial || !before.opening) continue;
        const { times } = before.opening;
        if (verdict === "failed") expect(after.opening).toEqual({ at, times: times + 1 });
        if (verdict === "answered") expect(after).toEqual(closedBreaker);
        if (verdict === "unknown") expect(after).toBe(before);
        expect(at - before.opening.at).toBeGreaterThanOrEqual(pauseMs(times, settings));
      }
    }),
  );
});

it("pauses are 30, 60, 120 and then 300 s; those of other settings grow alike and stop at 300 s", () => {
  const pauses = (openSeconds: number) => [1, 2, 3, 4, 5, 99].map((times) => pauseMs(times, { openSeconds }) / 1000);
  expect(pauses(30)).toEqual([30, 60, 120, 300, 300, 300]);
  expect(pauses(1)).toEqual([1, 2, 4, 10, 10, 10]);
  expect(pauses(100)).toEqual([100, 200, 300, 300, 300, 300]);
  expect(pauses(900)).toEqual([900, 900, 900, 900, 900, 900]);
});

it("answers of calls that began before it opened neither close it nor make its pause longer", () => {
  const open: BreakerState = { failures: [], opening: { at: start, times: 2 } };
  for (const verdict of ["failed", "answered", "unknown"] as const) {
    expect(afterCall(open, { verdict, isTrial: false, now: start + 1000 }, settings)).toBe(open);
  }
});

it("a clock that is set back ends a pause instead of making it longer, and forgets failures of the future", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 9 }), (back) => {
      const open: BreakerState = { failures: [], opening: { at: start, times: 1 } };
      expect(openForMs(open, start - back, settings)).toBe(0);
      const failing: BreakerState = { failures: [start, start, start, start], opening: null };
      const after = afterCall(failing, { verdict: "failed", isTrial: false, now: start - back }, settings);
      expect(after).toEqual({ failures: [start - back], opening: null });
    }),
  );
});
