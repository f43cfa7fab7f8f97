import type { Ticker } from "./session.ts";

/** Half to all of 0.5, 1, 2, … at most 30 s. */
export function retryMs(attempt: number, random: number): number {
  return Math.min(30_000, 500 * 2 ** (attempt - 1)) * (0.5 + random / 2);
}

/** Waits that a person can cut short. */
export type Waiting = {
  /** Settles after the time, when `hurry` is called, or when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  hurry(): void;
};

export function makeWaiting(ticker: Ticker): Waiting {
  let wake = () => undefined as void;
  return {
    async wait(ms, signal) {
      if (signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = ticker.after(ms, resolve);
      wake = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      stop();
    },
    hurry: () => wake(),
  };
}
