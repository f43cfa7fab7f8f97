import type { Connector, OAuth2, OpenConnection } from "../connector.ts";
import { findCallError } from "../calls/call-error.ts";
import { isRecord, parseJson, toText } from "../values/json.ts";
import type { World } from "../world.ts";
import type { Tokens } from "./token-set.ts";

/** `refused`: the service does not take these credentials any more; `unavailable`: it may, another time. */
type TokenAnswer = { kind: "tokens"; tokens: Tokens } | { kind: "refused" | "unavailable"; reason: string };

type Parts = {
  fetchFor(connection: OpenConnection | null): typeof fetch;
  world: Pick<World, "after">;
};
type TokenRequest = { connector: Connector; oauth2: OAuth2; connection: OpenConnection; grant: Record<string, string> };

const patienceMs = 20_000;

/**
 * Asks a token endpoint (RFC 6749): with the client's credentials in the body, as most services want it, and where they
 * are not taken there, once more in the authorization header. What it says of a reason holds no credentials.
 */
export async function requestTokens(parts: Parts, request: TokenRequest): Promise<TokenAnswer> {
  const inBody = await send(parts, request, false);
  if (!inBody.isClientRefused || !request.connection.secrets["client_secret"]) return inBody.answer;
  return (await send(parts, request, true)).answer;
}

async function send(
  { fetchFor, world }: Parts,
  { connector, oauth2, connection, grant }: TokenRequest,
  usesHeader: boolean,
): Promise<{ answer: TokenAnswer; isClientRefused: boolean }> {
  const { client_secret: secret = "" } = connection.secrets;
  const client = toText(connection.settings["client_id"] ?? "");
  const body = new URLSearchParams({
    ...grant,
    ...(usesHeader ? {} : { client_id: client, ...(secret !== "" && { client_secret: secret }) }),
  });
  const headers = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
    ...(usesHeader && { authorization: `Basic ${basic(client, secret)}` }),
  };
  const abort = new AbortController();
  const cancel = world.after(patienceMs, () => abort.abort(new DOMException("The time was over", "TimeoutError")));
  try {
    const url = endpointOf(oauth2.tokenUrl, connector, connection);
    const init = { method: "POST", headers, body: body.toString(), redirect: "error", signal: abort.signal } as const;
    const response = await fetchFor(connection)(url, init);
    return readAnswer(response.status, await response.text());
  } catch (thrown) {
    const failed = findCallError(thrown);
    const reason = failed?.message ?? "the token endpoint could not be reached";
    return { answer: { kind: "unavailable", reason }, isClientRefused: false };
  } finally {
    cancel();
  }
}

function readAnswer(status: number, text: string): { answer: TokenAnswer; isClientRefused: boolean } {
  const body = parseJson(text);
  const read = isRecord(body) ? body : {};
  // Services say more than the code, and may repeat what they were sent.
  const code = typeof read["error"] === "string" && /^[a-z_]{1,64}$/.test(read["error"]) ? read["error"] : null;
  if (code === null && status >= 200 && status < 300) return { answer: readTokens(read), isClientRefused: false };
  const isPassing = status === 429 || status >= 500;
  const reason = code === null ? `the token endpoint answered ${status}` : `the token endpoint answered ${code}`;
  const answer: TokenAnswer = { kind: isPassing ? "unavailable" : "refused", reason };
  return { answer, isClientRefused: code === "invalid_client" || (code === null && status === 401) };
}

function readTokens(body: { readonly [key: string]: unknown }): TokenAnswer {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = body;
  if (typeof accessToken !== "string" || accessToken === "") {
    return { kind: "refused", reason: "the token endpoint gave no access token" };
  }
  const seconds = Number(expiresIn);
  return {
    kind: "tokens",
    tokens: {
      accessToken,
      refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? refreshToken : null,
      expiresIn: expiresIn !== undefined && expiresIn !== null && seconds > 0 ? seconds : null,
    },
  };
}

/**
 * The address of an endpoint for a connection: one below the service's own address goes along when the connection names
 * another `baseUrl`, as an instance of one's own has its own endpoints. A path is below the connection's address.
 */
export function endpointOf(
  url: string,
  { baseUrl }: Connector,
  { settings }: Pick<OpenConnection, "settings">,
): string {
  const own = typeof settings["baseUrl"] === "string" ? URL.parse(settings["baseUrl"]) : null;
  const usual = baseUrl === null ? null : URL.parse(baseUrl);
  const endpoint = URL.parse(url, (own ?? usual)?.origin);
  if (!endpoint) return url;
  if (own && usual && endpoint.origin === usual.origin) return new URL(endpoint.pathname + endpoint.search, own).href;
  return endpoint.href;
}

/** Each part form-encoded first (RFC 6749, 2.3.1). */
function basic(client: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);
  return new TextEncoder().encode(`${encode(client)}:${encode(secret)}`).toBase64();
}
