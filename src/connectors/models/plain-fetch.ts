import type { ServiceCall } from "../service-call.ts";

/** All headers that leave this machine. The SDKs add others, which tell of the machine or come out of its environment. */
const sentHeaders = new Set([
  "accept",
  "anthropic-version",
  "authorization",
  "content-type",
  "idempotency-key",
  "user-agent",
  "x-api-key",
]);

/** The guarded fetch as an SDK may use it. */
export function plainFetch({ fetch }: Pick<ServiceCall, "fetch">): typeof fetch {
  return async (url, init) => {
    const headers = [...new Headers(init?.headers)].filter(([name]) => sentHeaders.has(name));
    return fetch(url, { ...init, headers });
  };
}
