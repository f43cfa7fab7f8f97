import type { ConnectorRegistry, OAuth2, OpenConnection } from "../connector.ts";
import type { RefreshCredentials } from "../open-connections.ts";
import type { World } from "../world.ts";
import { requestTokens } from "./request-tokens.ts";
import { withTokens } from "./token-set.ts";

type Parts = {
  connectors: ConnectorRegistry;
  fetchFor(connection: OpenConnection | null): typeof fetch;
  world: Pick<World, "after" | "now">;
  /** Told without credentials why a connection could not be refreshed. */
  onRefused(connection: Pick<OpenConnection, "id" | "name" | "connector">, reason: string): void;
};

/**
 * Gets new tokens for connections of OAuth2 connectors: with the refresh token, or with the client's own credentials. What
 * a service has refused for good is not sent again.
 */
export function createRefresher({ connectors, fetchFor, world, onRefused }: Parts): RefreshCredentials {
  /** By connection, what was sent and refused. */
  const refused = new Map<string, string>();
  return async (workspaceId, connection) => {
    const connector = await connectors.find(workspaceId, connection.connector);
    const oauth2 = connector?.auth.oauth2;
    const grant = oauth2 ? grantOf(oauth2, connection) : null;
    if (!connector || !oauth2 || !grant) return null;
    const sent = JSON.stringify([grant, connection.settings["client_id"], connection.secrets["client_secret"]]);
    if (refused.get(connection.id) === sent) return null;
    const answer = await requestTokens({ fetchFor, world }, { connector, oauth2, connection, grant });
    if (answer.kind === "tokens") {
      refused.delete(connection.id);
      return { secrets: withTokens(connection.secrets, answer.tokens, world.now()) };
    }
    if (answer.kind === "refused") refused.set(connection.id, sent);
    onRefused(connection, answer.reason);
    return null;
  };
}

function grantOf(oauth2: OAuth2, { secrets }: OpenConnection): Record<string, string> | null {
  const scope = oauth2.scopes.join(" ");
  if (oauth2.grant === "client_credentials") {
    return { grant_type: "client_credentials", ...(scope !== "" && { scope }) };
  }
  const token = secrets["refresh_token"];
  return token ? { grant_type: "refresh_token", refresh_token: token } : null;
}
