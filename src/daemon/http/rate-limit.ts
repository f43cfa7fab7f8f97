import type { RateHits } from "../../store/store.ts";

/** Within it every request counts (spec 8). */
export const windowMs = 60_000;

/** How one request stands to its key's window (spec 8); the reset is in epoch seconds. */
export type RateWindow = { isAllowed: boolean; limit: number; remaining: number; reset: number; retryAfter: number };

export type RateLimiter = {
  /** Counts a request of a key against `limit` requests a minute; a refused one is not counted (contract 6). */
  take(key: string, limit: number): RateWindow;
  /** What was counted since the last call, for a restart to know. */
  takeUnsaved(): RateHits[];
  /** Counts what was counted before, by this daemon's predecessor; older than a window it is nothing. */
  restore(hits: readonly RateHits[]): void;
  /** Keys that are held in memory. */
  size(): number;
};

/** The last requests of one key: a ring of times that grows up to the limit. */
type Hits = { times: Float64Array; first: number; count: number };

const smallestRing = 8;

/**
 * An exact sliding window: a request counts for the 60 seconds after it, no longer and no shorter. `nowMs` is epoch
 * milliseconds that never jump; `wallMs` is what callers' clocks and the next daemon go by, which may have moved against
 * it: the machine slept, or its clock was set. A key without a request for a minute is forgotten. `onUnsaved` is called
 * when something was counted that is to be saved, and not again before it was taken.
 */
export function createRateLimiter(
  nowMs: () => number,
  onUnsaved: () => void = () => undefined,
  wallMs: () => number = nowMs,
): RateLimiter {
  const keys = new Map<string, Hits>();
  let unsaved = new Map<string, number[]>();
  let sweptAt = nowMs();

  function sweep(now: number): void {
    if (now - sweptAt < windowMs) return;
    sweptAt = now;
    for (const [key, hits] of keys) {
      dropOld(hits, now);
      if (hits.count === 0) keys.delete(key);
    }
  }

  function hitsOf(key: string): Hits {
    const hits = keys.get(key) ?? { times: new Float64Array(smallestRing), first: 0, count: 0 };
    keys.set(key, hits);
    return hits;
  }

  function keepUnsaved(key: string, now: number): void {
    const times = unsaved.get(key);
    if (times) times.push(now);
    else unsaved.set(key, [now]);
    if (!times && unsaved.size === 1) onUnsaved();
  }

  return {
    take(key, limit) {
      const now = nowMs();
      sweep(now);
      const hits = hitsOf(key);
      dropOld(hits, now);
      const isAllowed = hits.count < limit;
      if (isAllowed) {
        addHit(hits, now);
        keepUnsaved(key, now);
      }
      return { isAllowed, ...describeWindow(hits, limit, { now, aheadMs: aheadOf(wallMs(), now) }) };
    },
    takeUnsaved() {
      const aheadMs = aheadOf(wallMs(), nowMs());
      const taken = Array.from(unsaved, ([key, times]) => ({ key, times: times.map((time) => time + aheadMs) }));
      unsaved = new Map();
      return taken;
    },
    restore(saved) {
      const now = nowMs();
      for (const { key, times } of saved) {
        // A clock that was set back since must not make a window longer.
        for (const time of times) if (time > now - windowMs) addHit(hitsOf(key), Math.min(time, now));
      }
    },
    size: () => keys.size,
  };
}

/** A limiter's clock: the wall clock at start plus the time that has passed since, so that a set clock moves nothing. */
export function steadyClock(world: { now(): Date; monotonicMs(): number }): () => number {
  const offset = world.now().getTime() - world.monotonicMs();
  return () => offset + world.monotonicMs();
}

/** How far the wall clock has moved away; less than a second is a clock that is kept in step, and moves no reset. */
function aheadOf(wallMs: number, now: number): number {
  const aheadMs = wallMs - now;
  return Math.abs(aheadMs) < 1000 ? 0 : aheadMs;
}

type Clocks = { now: number; aheadMs: number };

function describeWindow(hits: Hits, limit: number, { now, aheadMs }: Clocks): Omit<RateWindow, "isAllowed"> {
  const oldest = hits.count === 0 ? now : timeOf(hits, 0);
  const reset = Math.ceil((oldest + windowMs + aheadMs) / 1000);
  // A client that waits exactly this long finds the oldest request gone.
  const retryAfter = Math.max(1, reset - Math.floor((now + aheadMs) / 1000));
  return { limit, remaining: Math.max(0, limit - hits.count), reset, retryAfter };
}

function timeOf(hits: Hits, index: number): number {
  return hits.times[(hits.first + index) % hits.times.length] ?? 0;
}

function dropOld(hits: Hits, now: number): void {
  while (hits.count > 0 && timeOf(hits, 0) <= now - windowMs) {
    hits.first = (hits.first + 1) % hits.times.length;
    hits.count -= 1;
  }
}

function addHit(hits: Hits, now: number): void {
  if (hits.count === hits.times.length) {
    const grown = new Float64Array(hits.times.length * 2);
    for (let index = 0; index < hits.count; index++) grown[index] = timeOf(hits, index);
    hits.times = grown;
    hits.first = 0;
  }
  hits.times[(hits.first + hits.count) % hits.times.length] = now;
  hits.count += 1;
}
