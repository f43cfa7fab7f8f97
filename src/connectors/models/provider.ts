import type { ConnectorAuth } from "../../engine/connector.ts";
import { type StepOutcome, fail } from "../../engine/node.ts";
import { type ServiceCall, baseUrlOf } from "../service-call.ts";

/** A provider of models: its name, its own address, and the variable of the environment that may hold its key. */
export type Provider = { name: string; ownBaseUrl: string; variable: string };

/** How connections of a provider authenticate. */
export const providerAuth: ConnectorAuth = {
  type: "api_key",
  fields: [
    {
      name: "api_key",
      label: "API key",
      secret: true,
      required: false,
      description: "Servers on one's own machine mostly need none",
    },
  ],
  optional: true,
};

/** The key of the connection; null when it has none, as with most servers on one's own machine. */
export function apiKeyOf({ connection }: Pick<ServiceCall, "connection">): string | null {
  return connection?.secrets["api_key"] || null;
}

/** The failure of a call that the provider itself would refuse for want of a key; null when the call may go out. */
export function missingKey(call: ServiceCall, { name, ownBaseUrl, variable }: Provider): StepOutcome | null {
  if (apiKeyOf(call) !== null || baseUrlOf(call, ownBaseUrl) !== ownBaseUrl) return null;
  const message = call.connection
    ? `The connection ${call.connection.name} has no api_key, which ${name} needs`
    : `${name} needs a key: name a connection as connectionId, or start the daemon with ${variable} in its environment`;
  return fail("VALIDATION_ERROR", message);
}
