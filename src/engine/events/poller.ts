import type { FreeMoment } from "../../store/store.ts";

/** The polls that are under way in this process. */
export type Poller = {
  /** The moment of a poll has come: it begins, unless it is under way. Returns at once: a service may take long. */
  pass(moment: FreeMoment): void;
  /** Polls now, and once more when a poll is under way; settles when that is over. */
  pollNow(subscriptionId: string): Promise<void>;
  /** Ends what is under way. */
  stop(): Promise<void>;
};

/** Polls side by side; others wait for their turn. */
const maxPolls = 8;

type PollerParts = {
  poll(subscriptionId: string, signal: AbortSignal): Promise<void>;
  onError(error: unknown, subscriptionId: string): void;
};

/** Runs each subscription's polls one after the other, and a few subscriptions' side by side. */
export function createPoller({ poll, onError }: PollerParts): Poller {
  const underWay = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  const ended = new AbortController();
  let free = maxPolls;

  async function run(subscriptionId: string): Promise<void> {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      if (!ended.signal.aborted) await poll(subscriptionId, ended.signal);
    } catch (error) {
      // Its moment stays: the poll is tried again within a minute.
      if (!ended.signal.aborted) onError(error, subscriptionId);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  }

  async function begin(subscriptionId: string): Promise<void> {
    const before = underWay.get(subscriptionId);
    const polling = (before ?? Promise.resolve()).then(async () => run(subscriptionId));
    underWay.set(subscriptionId, polling);
    await polling;
    if (underWay.get(subscriptionId) === polling) underWay.delete(subscriptionId);
  }

  return {
    pass({ owner }) {
      if (!underWay.has(owner) && !ended.signal.aborted) void begin(owner);
    },
    pollNow: begin,
    async stop() {
      ended.abort(new Error("The daemon is stopping"));
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}
