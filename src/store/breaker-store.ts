/** The part of the store's promise that is about circuit breakers; everybody imports it from `store.ts`. */

/** A circuit breaker: whose it is, and what it remembers (null: nothing). Times are epoch ms. */
export type BreakerRecord = {
  workspaceId: number;
  connector: string;
  connectionId: string | null;
  /** Host that is called without a connection. */
  target: string | null;
  state: { failures: readonly number[]; opening: { at: number; times: number } | null } | null;
};

export type BreakerStore = {
  /** Every breaker that remembers something. */
  listBreakers(): Promise<BreakerRecord[]>;
  /** Replaces what a breaker remembers; null deletes it. */
  saveBreaker(record: BreakerRecord): Promise<void>;
};
