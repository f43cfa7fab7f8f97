import type { World } from "../../engine/world.ts";
import type { RateStore } from "../../store/store.ts";
import { type RateLimiter, createRateLimiter, steadyClock, windowMs } from "../http/rate-limit.ts";
import type { Log } from "../log.ts";

/** What a daemon that is killed may forget of its callers' requests. */
const everyMs = 1_000;

export type SavedRateLimiter = {
  limiter: RateLimiter;
  /** Counts what was saved before; to be called before the first request. */
  load(): Promise<void>;
  /** Saves what is left. */
  stop(): Promise<void>;
};

/** A rate limiter that a restart does not reset: a second after a request at the latest, it is saved. */
export function createSavedRateLimiter(store: RateStore, world: World, log: Log): SavedRateLimiter {
  const clock = steadyClock(world);
  let cancel = (): void => undefined;
  const wallMs = () => world.now().getTime();
  const limiter = createRateLimiter(clock, () => void (cancel = world.after(everyMs, () => void save())), wallMs);

  async function save(): Promise<void> {
    const hits = limiter.takeUnsaved();
    if (hits.length === 0) return;
    try {
      await store.saveHits({ at: wallMs(), hits });
    } catch (error) {
      // In memory they count on; a restart will not know of them.
      log.error(error, "Requests that were counted for rate limits could not be saved");
    }
  }

  return {
    limiter,
    async load() {
      limiter.restore(await store.readHits(Math.trunc(clock() - windowMs)));
    },
    async stop() {
      cancel();
      await save();
    },
  };
}
