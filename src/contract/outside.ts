/** Settings of the calls that leave the machine (contract 5, 13, 17). */

/** How long a step backs off before its retries. */
export type RetrySettings = { baseMs: number; maxMs: number };

/** When the circuit breaker of an integration opens, and for how long at first. */
export type BreakerSettings = { failures: number; windowSeconds: number; openSeconds: number };

export type EgressSettings = {
  /** Private addresses that may be called: `host`, `address` or `network/bits`, each with or without a `:port`. */
  allow: readonly string[];
  /** Lets calls reach every private address; those that never may be reached stay out of reach. */
  allowPrivateNetworks: boolean;
};

/** Bytes that a file of a payload may have. */
export type FileSettings = { maxBytes: number };

export type OutsideSettings = {
  retries: RetrySettings;
  breaker: BreakerSettings;
  egress: EgressSettings;
  files: FileSettings;
};

export const defaultOutside: OutsideSettings = {
  retries: { baseMs: 1000, maxMs: 30_000 },
  breaker: { failures: 5, windowSeconds: 300, openSeconds: 30 },
  egress: { allow: [], allowPrivateNetworks: false },
  files: { maxBytes: 20 * 1024 * 1024 },
};
