/** The world outside the engine, passed in so that tests can hold it still (design 2). */
export type World = {
  now(): Date;
  /** Milliseconds that never jump, for durations. */
  monotonicMs(): number;
  /** Calls back after so many milliseconds, unless the function that it returns was called before. */
  after(ms: number, callback: () => void): () => void;
  /** Lets everything else that is due have its turn. */
  yieldTurn(): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  /** A new time-ordered UUID (version 7), greater than all before. */
  newId(): string;
  fetch: typeof fetch;
};
