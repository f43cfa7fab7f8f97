import { setImmediate } from "node:timers/promises";
import { createIdSource } from "../../src/daemon/uuid7.ts";
import type { World } from "../../src/engine/world.ts";

export type Clock = {
  now(): Date;
  /** Moves time on and calls every timer that comes due on the way, in order. */
  advance(ms: number): void;
  /** Sets the wall clock to another time, as a person or a time server does; no time passes. */
  jump(ms: number): void;
};

type Timer = { at: number; callback: () => void };

/** A world whose time stands still until a test moves it; without a network. */
export function fakeWorld(start: string): { world: World; clock: Clock } {
  let ms = Date.parse(start);
  const timers = new Set<Timer>();
  const nextDue = (until: number) => [...timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];

  function advance(by: number): void {
    const until = ms + by;
    for (let timer = nextDue(until); timer; timer = nextDue(until)) {
      timers.delete(timer);
      ms = Math.max(ms, timer.at);
      timer.callback();
    }
    ms = until;
  }

  let offset = 0;
  const world: World = {
    now: () => new Date(ms + offset),
    monotonicMs: () => ms,
    after(delay, callback) {
      const timer = { at: ms + delay, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    yieldTurn: () => setImmediate(),
    random: () => 0.5,
    newId: createIdSource(() => ms + offset),
    fetch: () => Promise.reject(new Error("The test has no network")),
  };
  return { world, clock: { now: world.now, advance, jump: (by) => void (offset += by) } };
}
