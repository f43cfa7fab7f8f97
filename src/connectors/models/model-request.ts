import type { OperationCall } from "../../engine/connector.ts";
import { type StepOutcome, fail } from "../../engine/node.ts";

/** What a request to a provider needs, of an operation's call or of a connection's test. */
export type ProviderCall = Pick<OperationCall, "connection" | "fetch" | "signal" | "now">;

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

/** The address that a connection says, with the version in it, else the provider's own; without a slash at its end. */
export function baseUrlOf({ connection }: ProviderCall, own: string): string {
  const given = connection?.settings["baseUrl"];
  return (typeof given === "string" && given !== "" ? given : own).replace(/\/+$/, "");
}

/** The key of the connection; null when it has none, as with most servers on one's own machine. */
export function apiKeyOf({ connection }: ProviderCall): string | null {
  return connection?.secrets["api_key"] || null;
}

/** Where a provider's key may come from. */
export type KeyPlace = { name: string; ownBaseUrl: string; variable: string };

/** The failure of a call that the provider itself would refuse for want of a key; null when the call may go out. */
export function missingKey(call: ProviderCall, { name, ownBaseUrl, variable }: KeyPlace): StepOutcome | null {
  if (apiKeyOf(call) !== null || baseUrlOf(call, ownBaseUrl) !== ownBaseUrl) return null;
  const message = call.connection
    ? `The connection ${call.connection.name} has no api_key, which ${name} needs`
    : `${name} needs a key: name a connection as connectionId, or start the daemon with ${variable} in its environment`;
  return fail("VALIDATION_ERROR", message);
}

/** The guarded fetch as an SDK may use it. */
export function plainFetch({ fetch }: ProviderCall): typeof fetch {
  return async (url, init) => {
    const headers = [...new Headers(init?.headers)].filter(([name]) => sentHeaders.has(name));
    return fetch(url, { ...init, headers });
  };
}
