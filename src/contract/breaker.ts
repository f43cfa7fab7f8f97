import * as z from "zod";

/** A circuit breaker that remembers failures or is open (contract 5). */
export const breaker = z.object({
  connector: z.string(),
  connection_id: z.string().nullable(),
  /** Host that is called without a connection. */
  target: z.string().nullable(),
  status: z.enum(["closed", "open", "half_open"]),
  failures: z.int(),
  opened_at: z.iso.datetime().nullable(),
  trial_at: z.iso.datetime().nullable(),
});
export type Breaker = z.infer<typeof breaker>;

export type BreakerList = { breakers: Breaker[] };

/** Which breakers to close; without a name all of the workspace. */
export const resetRequest = z.object({
  connector: z.string().min(1).optional(),
  connection_id: z.string().min(1).optional(),
});
