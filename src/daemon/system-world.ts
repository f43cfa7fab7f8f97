import { setImmediate } from "node:timers/promises";
import type { World } from "../engine/world.ts";
import { createIdSource } from "./uuid7.ts";

/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The world as it is: this machine's clock, randomness and network. */
export function createSystemWorld(): World {
  return {
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, Math.min(ms, longestTimerMs));
      return () => clearTimeout(timer);
    },
    yieldTurn: () => setImmediate(),
    random: Math.random,
    newId: createIdSource(Date.now),
    fetch: globalThis.fetch,
  };
}
