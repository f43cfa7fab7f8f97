import type { KeyRing } from "../../engine/keys.ts";
import type { World } from "../../engine/world.ts";
import type { Log } from "../log.ts";

/** How far the noted uses of keys may lag (contract 9). */
const everyMs = 60_000;

/** Writes the uses of keys once a minute, and what is left when it is stopped. */
export function startKeyUses(keys: KeyRing, { after }: World, log: Log): { stop(): Promise<void> } {
  let cancel = (): void => undefined;

  async function flush(): Promise<void> {
    try {
      await keys.flushUses();
    } catch (error) {
      log.error(error, "The last uses of keys could not be written");
    }
  }

  function flushLater(): void {
    cancel = after(everyMs, () => {
      void flush();
      flushLater();
    });
  }

  flushLater();
  return {
    async stop() {
      cancel();
      await flush();
    },
  };
}
