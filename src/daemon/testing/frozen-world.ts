import { setImmediate } from "node:timers/promises";
import type { World } from "../../engine/world.ts";
import { createIdSource } from "../uuid7.ts";

export type FrozenClock = {
  /** Lets time jump to a moment (epoch ms); timers on the way go off. Never goes back. */
  jumpTo(at: number): void;
};

type Timer = { at: number; callback: () => void };

/** A world in which time stands still between jumps, chance has no say, and there is no network. */
export function frozenWorld(start: number): { world: World; clock: FrozenClock } {
  let now = start;
  const timers = new Set<Timer>();
  const world: World = {
    now: () => new Date(now),
    monotonicMs: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    yieldTurn: () => setImmediate(),
    random: () => 0.5,
    newId: createIdSource(() => now),
    fetch: async () => Promise.reject(new Error("Tests of workflows have no network")),
  };
  function jumpTo(at: number): void {
    now = Math.max(now, at);
    const due = [...timers].filter((timer) => timer.at <= now).toSorted((a, b) => a.at - b.at);
    for (const timer of due) if (timers.delete(timer)) timer.callback();
  }
  return { world, clock: { jumpTo } };
}
