import { ApiError } from "../../contract/errors.ts";
import type { Limits } from "../../contract/limits.ts";
import type { KeyRing } from "../../engine/keys.ts";
import type { RateLimiter, RateWindow } from "./rate-limit.ts";
import type { Admission } from "./serve-operations.ts";

/** Lets callers in by their API key, each within its rate (spec 5, 8). */
export function createKeyGate(
  keys: KeyRing,
  limiter: RateLimiter,
  { requestsPerMinute }: Limits,
): (request: Request) => Promise<Admission> {
  return async (request) => {
    const { key, workspace } = await keys.authenticate(request.headers.get("authorization") ?? undefined);
    // A tier that is not known counts as free (contract 1).
    const limit = requestsPerMinute[workspace.tier] ?? requestsPerMinute.free;
    const window = limiter.take(key.id, limit);
    return {
      caller: { workspaceId: workspace.id, userId: key.userId, scopes: key.scopes, keyId: key.id },
      headers: rateHeaders(window),
      refusal: window.isAllowed
        ? null
        : new ApiError("RATE_LIMIT_EXCEEDED", "Rate limit exceeded", { retryAfterSeconds: window.retryAfter }),
    };
  };
}

function rateHeaders({ limit, remaining, reset }: RateWindow): Record<string, string> {
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(reset),
  };
}
