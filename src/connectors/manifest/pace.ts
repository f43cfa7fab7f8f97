import type { ManifestHead } from "../../contract/manifest.ts";
import { CallError } from "../../engine/calls/call-error.ts";

/** Holds calls of a connection back until the service's rate has room; rejects with the signal's reason. */
export type Pace = (connection: string, now: Date, signal: AbortSignal) => Promise<void>;

/** A call that would wait longer fails, and is tried again when its time has come. */
const longestHoldMs = 20_000;

/** Lets `requests` calls of one connection through within any `perSeconds`, in the order in which they come. */
export function createPace(rateLimit: ManifestHead["rateLimit"]): Pace {
  if (!rateLimit) return async () => undefined;
  const { requests, perSeconds } = rateLimit;
  const sent = new Map<string, number[]>();
  return async (connection, now, signal) => {
    const at = now.getTime();
    const times = (sent.get(connection) ?? []).filter((time) => time > at - perSeconds * 1000);
    sent.set(connection, times);
    const before = times.at(-requests);
    const delay = before === undefined ? 0 : Math.max(0, before + perSeconds * 1000 - at);
    if (delay > longestHoldMs) throw tooMany(delay);
    times.push(at + delay);
    if (delay > 0) await hold(delay, signal);
  };
}

async function hold(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("The call was ended"));
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function tooMany(retryAfterMs: number): CallError {
  const message = "The connector's rateLimit has no room for this call yet; it is tried again later";
  return new CallError({ code: "RATE_LIMITED", message, retryable: true, retryAfterMs });
}
