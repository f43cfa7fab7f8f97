import type { Connector } from "../connector.ts";

/** What a token endpoint gives (RFC 6749, 5.1). `expiresIn` is seconds. */
export type Tokens = { accessToken: string; refreshToken: string | null; expiresIn: number | null };

type Secrets = Readonly<Record<string, string>>;

/**
 * Beside the credentials of a connection, sealed with them: when its access token wants to be replaced, in epoch ms. No
 * secret, and none of the fields that people are asked for.
 */
export const tokenExpiry = "expires_at";

/** A token is replaced so long before its end, or a tenth of its life, so that no call is under way with a dead one. */
const skewMs = 60_000;

/** The credentials with new tokens. A service that gives no new refresh token has the old one go on. */
export function withTokens(
  { [tokenExpiry]: _earlier, ...secrets }: Secrets,
  { accessToken, refreshToken, expiresIn }: Tokens,
  now: Date,
): Record<string, string> {
  const lifeMs = (expiresIn ?? 0) * 1000;
  const renewAt = now.getTime() + lifeMs - Math.min(skewMs, lifeMs / 10);
  return {
    ...secrets,
    access_token: accessToken,
    ...(refreshToken !== null && { refresh_token: refreshToken }),
    ...(expiresIn !== null && { [tokenExpiry]: String(Math.round(renewAt)) }),
  };
}

/** Whether the access token is missing, or near its end. */
export function wantsTokens(secrets: Secrets, now: Date): boolean {
  if (!secrets["access_token"]) return true;
  const renewAt = secrets[tokenExpiry];
  return renewAt !== undefined && now.getTime() >= Number(renewAt);
}

/** The values of credentials that nobody may read. */
export function hiddenValues({ [tokenExpiry]: _expiry, ...secrets }: Secrets): string[] {
  return Object.values(secrets);
}

/** Whether somebody has to agree in a browser before a connection can be used. */
export function needsSignIn({ auth }: Pick<Connector, "auth">, secrets: Secrets): boolean {
  if (auth.oauth2?.grant !== "authorization_code") return false;
  return !secrets["access_token"] && !secrets["refresh_token"];
}
