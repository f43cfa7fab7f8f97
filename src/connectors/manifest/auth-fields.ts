import type { ManifestAuth } from "../../contract/manifest.ts";
import type { AuthField, ConnectorAuth } from "../../engine/connector.ts";

/** What connections of a connector are asked for, and what templates may read as `connection.<name>`. */
export function authFields(auth: ManifestAuth): AuthField[] {
  switch (auth.type) {
    case "none":
      return [];
    // A connection of optional credentials may be made for its settings alone, such as allowPrivateNetwork.
    case "api_key":
      return [field("api_key", "API key", { required: !auth.optional })];
    case "bearer":
      return [field("token", "Token", { required: !auth.optional })];
    case "basic":
      return [
        field("username", "User name", { secret: false, required: !auth.optional }),
        field("password", "Password", { required: !auth.optional }),
      ];
    case "oauth2":
      return [
        field("client_id", "Client id", { secret: false }),
        field("client_secret", "Client secret", { required: auth.grant === "client_credentials" }),
        field("access_token", "Access token", { required: false }),
        field("refresh_token", "Refresh token", { required: auth.grant === "refresh_token" }),
      ];
    case "custom":
      return auth.fields.map(({ name, label, secret, required, description }) =>
        field(name, label ?? name, { secret, required, ...(description === undefined ? {} : { description }) }),
      );
  }
}

function field(name: string, label: string, extra: Partial<AuthField> = {}): AuthField {
  return { name, label, secret: true, required: true, ...extra };
}

/** How the connector's connections authenticate. */
export function connectorAuth(auth: ManifestAuth): ConnectorAuth {
  const isOptional = auth.type === "none" || auth.optional;
  const common = { type: auth.type, fields: authFields(auth), optional: isOptional };
  if (auth.type !== "oauth2") return common;
  const { authorizationUrl = null, tokenUrl, grant, scopes, pkce } = auth;
  return { ...common, oauth2: { authorizationUrl, tokenUrl, grant, scopes, pkce } };
}
