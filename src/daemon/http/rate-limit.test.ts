import fc from "fast-check";
import { expect, it } from "vitest";
import { createRateLimiter, steadyClock } from "./rate-limit.ts";

function limiterAt(start: number) {
  const clock = { ms: start };
  return { clock, limiter: createRateLimiter(() => clock.ms) };
}

it("counts down to zero, refuses the next request and does not count it", () => {
  const { clock, limiter } = limiterAt(1_000_000);
  expect([1, 2, 3].map(() => limiter.take("a", 3).remaining)).toEqual([2, 1, 0]);
  expect(limiter.take("a", 3)).toEqual({ isAllowed: false, limit: 3, remaining: 0, reset: 1060, retryAfter: 60 });
  clock.ms += 59_999;
  expect(limiter.take("a", 3).isAllowed).toBe(false);
  clock.ms += 1;
  expect([1, 2, 3, 4].map(() => limiter.take("a", 3).isAllowed)).toEqual([true, true, true, false]);
});

it("a key's window is its own", () => {
  const { limiter } = limiterAt(0);
  limiter.take("a", 1);
  expect(limiter.take("a", 1).isAllowed).toBe(false);
  expect(limiter.take("b", 1).isAllowed).toBe(true);
});

it("the reset is when the oldest counted request leaves the window, rounded up", () => {
  const { clock, limiter } = limiterAt(10_000);
  limiter.take("a", 2);
  clock.ms = 20_500;
  expect(limiter.take("a", 2).reset).toBe(70);
  clock.ms = 70_000;
  expect(limiter.take("a", 2)).toMatchObject({ isAllowed: true, remaining: 0, reset: 81 });
});

it("forgets keys that have made no request for a minute", () => {
  const { clock, limiter } = limiterAt(0);
  for (let index = 0; index < 100; index++) limiter.take(`key ${index}`, 10);
  clock.ms = 60_001;
  limiter.take("other", 10);
  expect(limiter.size()).toBe(1);
});

it("a limit that was lowered refuses with nothing remaining", () => {
  const { limiter } = limiterAt(0);
  for (let index = 0; index < 5; index++) limiter.take("a", 5);
  expect(limiter.take("a", 2)).toMatchObject({ isAllowed: false, remaining: 0 });
});

it("agrees with a list of all requests, and whoever waits retry-after is let through", () => {
  const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.double({ min: 0, max: 20_000, noNaN: true })), {
    maxLength: 300,
  });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 999 }), (steps, limit, start) => {
      const { clock, limiter } = limiterAt(start);
      let counted: number[] = [];
      for (const step of steps) {
        clock.ms += step;
        counted = counted.filter((time) => time > clock.ms - 60_000);
        const isAllowed = counted.length < limit;
        if (isAllowed) counted.push(clock.ms);
        const window = limiter.take("a", limit);
        expect(window).toMatchObject({ isAllowed, remaining: limit - counted.length });
        if (isAllowed) continue;
        clock.ms += window.retryAfter * 1000;
        counted = counted.filter((time) => time > clock.ms - 60_000);
        counted.push(clock.ms);
        expect(limiter.take("a", limit).isAllowed).toBe(true);
      }
    }),
  );
});

it("the clock of a limiter does not follow a wall clock that is set back", () => {
  let wall = 5_000;
  let monotonic = 100;
  const now = steadyClock({ now: () => new Date(wall), monotonicMs: () => monotonic });
  wall = 0;
  monotonic += 40;
  expect(now()).toBe(5_040);
});
