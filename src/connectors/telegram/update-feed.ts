/** What a workflow that polls a bot remembers: itself, and the last update that it has seen. */
export type FeedCursor = {
  /** Tells the workflows that share a bot apart. */
  reader: string;
  /** Id of the last update of any kind; 0 before the first. */
  last: number;
  /** When that was, in epoch ms. */
  at: number;
  /** While more waits than one poll takes that was there when the workflow began: what is older starts nothing. Epoch ms. */
  since: number | null;
};

/** A reader that has not polled for so long is gone: nothing is kept back for it any more. */
const readerLastsMs = 15 * 60_000;
/** After a start each workflow has this long to say what it has seen. */
const settlesMs = 2 * 60_000;
/** After a week without updates the service numbers them anew, from anywhere. */
const numberingLastsMs = 6 * 24 * 3_600_000;

type Reader = { last: number; at: number };

/**
 * What the workflows of this daemon that poll one bot have seen. Telegram keeps one queue a bot, and forgets what lies
 * before the offset that anybody asks for. So the offset is that of the slowest reader: an update is given up when it is
 * durable with all of them, and no crash loses one.
 */
export class UpdateFeed {
  readonly #readers = new Map<string, Reader>();
  readonly #bornAt: number;
  #count = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(now: number) {
    this.#bornAt = now;
  }

  /** A cursor for a workflow that polls for the first time. */
  begin(now: number): FeedCursor {
    this.#count += 1;
    return { reader: `${now.toString(36)}.${this.#count}`, last: 0, at: now, since: null };
  }

  /** One poll of a bot at a time: the service ends the earlier of two. */
  async inTurn<T>(poll: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(poll, poll);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Notes what a reader has seen for good, and says from which update on to ask; 0: from the oldest that is kept. */
  offsetFor({ reader, last, at }: FeedCursor, now: number): number {
    this.#readers.set(reader, { last: now - at > numberingLastsMs ? 0 : last, at: now });
    for (const [name, known] of this.#readers) if (now - known.at > readerLastsMs) this.#readers.delete(name);
    if (now - this.#bornAt < settlesMs) return 0;
    const slowest = Math.min(...[...this.#readers.values()].map((known) => known.last));
    return slowest === 0 ? 0 : slowest + 1;
  }

  /** From which id on updates are new to a reader. */
  firstNew({ last, at }: FeedCursor, now: number): number {
    return now - at > numberingLastsMs ? 0 : last + 1;
  }
}
