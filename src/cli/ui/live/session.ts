import type { Effect, Message, Model } from "../model/model.ts";
import { update } from "../model/update.ts";

/** At most so often data reaches the screen; keys reach it at once (cli.md, measured fact 6). */
const batchMs = 100;

/** Time and timers, so that tests can move them. */
export type Ticker = {
  now(): number;
  /** Returns the function that calls it off. */
  after(ms: number, callback: () => void): () => void;
};

export const systemTicker: Ticker = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The state of the UI, outside of React; components subscribe to it. */
export class Session {
  #model: Model;
  #shown: Model;
  readonly #listeners = new Set<() => void>();
  readonly #ticker: Ticker;
  readonly #perform: (effect: Effect) => void;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #stopTimer: (() => void) | null = null;
  #isOver = false;

  constructor(model: Model, ticker: Ticker, perform: (effect: Effect) => void) {
    this.#model = model;
    this.#shown = model;
    this.#ticker = ticker;
    this.#perform = perform;
  }

  /** What is shown: data that came since the last frame is not in it yet. */
  readonly shown = (): Model => this.#shown;

  /** All that is known. */
  get model(): Model {
    return this.#model;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Takes a message in. What a person did is shown at once, everything else ten times a second at most. */
  readonly tell = (message: Message): void => {
    if (this.#isOver) return;
    const [model, effects] = update(this.#model, message);
    this.#model = model;
    for (const effect of effects) this.#perform(effect);
    const isPressed = message.type === "key" || message.type === "paste" || message.type === "resize";
    if (isPressed) this.#flush();
    else this.#flushSoon();
  };

  /** From here on nothing is taken in any more. */
  end(): void {
    this.#isOver = true;
    this.#stopTimer?.();
  }

  #flushSoon(): void {
    if (this.#stopTimer) return;
    const wait = this.#flushedAt + batchMs - this.#ticker.now();
    if (wait <= 0) this.#flush();
    else this.#stopTimer = this.#ticker.after(wait, () => this.#flush());
  }

  #flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
    this.#flushedAt = this.#ticker.now();
    if (this.#shown === this.#model) return;
    this.#shown = this.#model;
    for (const listener of this.#listeners) listener();
  }
}
