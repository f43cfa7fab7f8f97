/** How long what a run leaves behind is kept after its end, in milliseconds (contract 15, 17). */
export type Retention = {
  /** The run itself, with all that belongs to it; audit entries stay. */
  runsMs: number;
  journalsMs: number;
  /** Originals of redacted payloads; 0: deleted at once. */
  sealedMs: number;
  /** Requests to webhooks, from their arrival. */
  deliveriesMs: number;
};

const dayMs = 86_400_000;

export const defaultRetention: Retention = {
  runsMs: 30 * dayMs,
  journalsMs: 30 * dayMs,
  sealedMs: 7 * dayMs,
  deliveriesMs: 7 * dayMs,
};
