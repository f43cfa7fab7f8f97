/** The longest wait that an upstream's Retry-After can ask for (contract 5). */
const maxRetryAfterMs = 60_000;

/**
 * Milliseconds to wait before retry number `attempt` (1 is the first): random between half and all of
 * min(maxMs, baseMs × 2^(attempt−1)), or `retryAfterMs`, at most 60 s, when that is longer (contract 5).
 */
export function retryDelayMs({
  attempt,
  retryAfterMs = 0,
  random,
  baseMs = 1000,
  maxMs = 30_000,
}: {
  attempt: number;
  retryAfterMs?: number | undefined;
  random: () => number;
  baseMs?: number;
  maxMs?: number;
}): number {
  const ceiling = Math.min(maxMs, baseMs * 2 ** Math.max(0, attempt - 1));
  const backoff = Math.round((ceiling / 2) * (1 + random()));
  return Math.max(backoff, Math.min(retryAfterMs, maxRetryAfterMs));
}
