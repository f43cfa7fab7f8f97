import type { OpenConnection } from "../connector.ts";

/** Model providers whose key the daemon's environment may hold (contract 13). */
const variables = new Map([
  ["openai", "OPENAI_API_KEY"],
  ["anthropic", "ANTHROPIC_API_KEY"],
]);

/** The connection that the daemon's environment gives for a connector; null when it gives none. */
export function environmentConnection(
  connector: string,
  environment: Readonly<Record<string, string | undefined>>,
): OpenConnection | null {
  const variable = variables.get(connector);
  const key = variable === undefined ? undefined : environment[variable];
  if (variable === undefined || !key) return null;
  return {
    id: `environment:${variable}`,
    name: variable,
    connector,
    settings: {},
    secrets: { api_key: key },
    requireApproval: false,
  };
}
