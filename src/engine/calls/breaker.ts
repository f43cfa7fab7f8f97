import type { BreakerSettings } from "../../contract/outside.ts";

/** What is kept of an integration's circuit breaker (contract 5). Times are epoch ms. */
export type BreakerState = {
  /** When the failures were that count towards opening it, oldest first. */
  failures: readonly number[];
  /** Since when it is open, and how often it opened in a row; null while it is closed. */
  opening: { at: number; times: number } | null;
};

/** What a call says of its integration: `unknown` when it was broken off, so that nobody knows. */
export type Verdict = "failed" | "answered" | "unknown";

export const closedBreaker: BreakerState = { failures: [], opening: null };

/** Pauses before the trial calls, in multiples of the first: 30, 60, 120 and then always 300 s (contract 5). */
const pauseFactors = [1, 2, 4, 10] as const;
const longestPauseSeconds = 300;

/** How long the n-th opening in a row lasts, in ms. */
export function pauseMs(times: number, { openSeconds }: Pick<BreakerSettings, "openSeconds">): number {
  const factor = pauseFactors[Math.min(times, pauseFactors.length) - 1] ?? 1;
  return Math.min(openSeconds * factor, Math.max(longestPauseSeconds, openSeconds)) * 1000;
}

/**
 * Milliseconds until an open breaker lets a trial call through; 0 when it does now, null while it is closed. A clock that
 * was set back ends the pause, since nobody knows how long it lasted.
 */
export function openForMs({ opening }: BreakerState, now: number, settings: BreakerSettings): number | null {
  if (!opening) return null;
  const elapsed = now - opening.at;
  return elapsed < 0 ? 0 : Math.max(0, pauseMs(opening.times, settings) - elapsed);
}

/**
 * The state after a call. `isTrial` is the one call that an open breaker let through; answers of calls that began before
 * it opened change nothing. Returns the same object when nothing changed.
 */
export function afterCall(
  state: BreakerState,
  { verdict, isTrial, now }: { verdict: Verdict; isTrial: boolean; now: number },
  settings: BreakerSettings,
): BreakerState {
  if (verdict === "unknown") return state;
  if (state.opening) {
    if (!isTrial) return state;
    if (verdict === "answered") return closedBreaker;
    return { failures: [], opening: { at: now, times: state.opening.times + 1 } };
  }
  if (verdict === "answered") return state;
  const failures = [...recentFailures(state, now, settings), now];
  if (failures.length < settings.failures) return { failures, opening: null };
  return { failures: [], opening: { at: now, times: 1 } };
}

/** Whether the state says no more than that of an integration that was never called. */
export function isForgettable(state: BreakerState, now: number, settings: BreakerSettings): boolean {
  return state.opening === null && recentFailures(state, now, settings).length === 0;
}

function recentFailures({ failures }: BreakerState, now: number, { windowSeconds }: BreakerSettings): number[] {
  return failures.filter((at) => at <= now && now - at <= windowSeconds * 1000);
}
