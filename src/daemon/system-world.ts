import type { World } from "../engine/world.ts";
import { createIdSource } from "./uuid7.ts";

/** The world as it is: this machine's clock, randomness and network. */
export function createSystemWorld(): World {
  return {
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    random: Math.random,
    newId: createIdSource(Date.now),
    fetch: globalThis.fetch,
  };
}
