import type { World } from "../../engine/world.ts";
import type { DeliveryAnswer, NewDelivery, Store } from "../../store/store.ts";
import { WriteRefused } from "../../store/write-refused.ts";
import type { Log } from "../log.ts";

/** How long a request may go unnoted: what is not bound to a run costs no commit of its own. */
const everyMs = 1000;
/** Requests that wait to be noted; who sends more in a second floods, and is not noted whole. */
const maxWaiting = 5000;

/** Notes requests to subscriptions a little later, many in one commit. */
export type DeliveryLog = {
  /** A request that started no run; one that did is noted with its run. */
  note(delivery: NewDelivery): void;
  /** What the caller of an earlier one was told in the end. */
  answered(answer: DeliveryAnswer): void;
  /** Writes what waits. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

export function startDeliveryLog(
  store: Pick<Store, "saveDeliveries">,
  world: Pick<World, "after">,
  log: Log,
): DeliveryLog {
  let added: NewDelivery[] = [];
  let answered: DeliveryAnswer[] = [];
  let cancel: (() => void) | null = null;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (added.length + answered.length === 0) return;
    const batch = { added, answered };
    [added, answered] = [[], []];
    try {
      await store.saveDeliveries(batch);
    } catch (error) {
      log.error(error, "Requests to webhooks could not be noted");
      if (error instanceof WriteRefused) keep(batch);
    }
  }

  /** For the next try: a sender that was refused for want of room can be served later with what it sent. */
  function keep(batch: { added: NewDelivery[]; answered: DeliveryAnswer[] }): void {
    added = [...batch.added, ...added].slice(0, maxWaiting);
    answered = [...batch.answered, ...answered].slice(0, maxWaiting);
    flushSoon();
  }

  async function flush(): Promise<void> {
    cancel?.();
    cancel = null;
    writing = writing.then(write);
    await writing;
  }

  function flushSoon(): void {
    cancel ??= world.after(everyMs, () => void flush());
  }

  return {
    note(delivery) {
      if (added.length < maxWaiting) added.push(delivery);
      flushSoon();
    },
    answered(answer) {
      answered.push(answer);
      flushSoon();
    },
    flush,
    stop: flush,
  };
}
