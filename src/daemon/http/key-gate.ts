import { ApiError } from "../../contract/errors.ts";
import type { Limits } from "../../contract/limits.ts";
import type { KeyRing, VerifiedKey } from "../../engine/keys.ts";
import type { RateLimiter, RateWindow } from "./rate-limit.ts";
import type { Refusal } from "../metrics.ts";
import type { Admission } from "./serve-operations.ts";

/**
 * Lets callers in by their API key, each within its rate (spec 5, 8). `onRefusal` hears of those who are not.
 * Answers tell the `version`, so that a command line of another one can say so.
 */
export function createKeyGate(
  keys: KeyRing,
  limiter: RateLimiter,
  { requestsPerMinute }: Limits,
  onRefusal: (reason: Refusal) => void,
  version: string,
): (request: Request) => Promise<Admission> {
  async function identify(request: Request): Promise<VerifiedKey> {
    try {
      return await keys.authenticate(request.headers.get("authorization") ?? undefined);
    } catch (error) {
      if (error instanceof ApiError) onRefusal("unauthorized");
      throw error;
    }
  }

  return async (request) => {
    const { key, workspace } = await identify(request);
    // A tier that is not known counts as free (contract 1).
    const limit = requestsPerMinute[workspace.tier] ?? requestsPerMinute.free;
    const window = limiter.take(key.id, limit);
    if (!window.isAllowed) onRefusal("rate_limit");
    return {
      caller: {
        workspaceId: workspace.id,
        userId: key.userId,
        scopes: key.scopes,
        keyId: key.id,
        expiresAt: key.expiresAt,
      },
      headers: { ...rateHeaders(window), "x-stepgate-version": version },
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
