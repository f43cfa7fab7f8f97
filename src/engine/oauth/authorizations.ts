import { createHash } from "node:crypto";
import type { ConnectionBody, SignIn } from "../../contract/connection.ts";
import { ApiError } from "../../contract/errors.ts";
import { requireConnection, showConnection, replaceCredentials } from "../connections.ts";
import type { Connector, OAuth2, OpenConnection } from "../connector.ts";
import type { KeptConnection } from "../kept-values.ts";
import { requireOpened } from "../sealed-value.ts";
import type { Services } from "../services.ts";
import { toText } from "../values/json.ts";
import { endpointOf, requestTokens } from "./request-tokens.ts";
import { withTokens } from "./token-set.ts";

type Parts = Pick<
  Services,
  "store" | "world" | "values" | "cipher" | "connectors" | "fetchFor" | "randomBytes" | "tellsPeople"
>;

/** Sign-ins that are under way: OAuth2 authorization codes with PKCE (RFC 6749, 7636, 8252). */
export type Authorizations = {
  /**
   * Begins one: where the person's browser has to go. The service sends it back to `redirectUri`, an address of this
   * machine. Throws NOT_FOUND, and BAD_REQUEST for a connector to which nobody signs in.
   */
  begin(workspaceId: number, reference: string, redirectUri: string): Promise<SignIn>;
  /**
   * Ends one with the address to which the browser was sent back, or with the code alone; the connection has its tokens
   * when this settles. Throws BAD_REQUEST for what does not belong to it, and where the service refuses. A code counts once.
   */
  finish(workspaceId: number, flow: string, redirected: string): Promise<ConnectionBody>;
};

type Flow = {
  workspaceId: number;
  connectionId: string;
  state: string;
  verifier: string;
  redirectUri: string;
  expiresAt: number;
};

const lifeMs = 10 * 60_000;
const maxFlows = 100;

export function createAuthorizations(services: Parts): Authorizations {
  const flows = new Map<string, Flow>();
  const now = (): number => services.world.now().getTime();
  const secret = (): string => Buffer.from(services.randomBytes(32)).toString("base64url");

  function forgetOld(): void {
    for (const [id, { expiresAt }] of flows) if (expiresAt <= now() || flows.size >= maxFlows) flows.delete(id);
  }

  return {
    async begin(workspaceId, reference, redirectUri) {
      forgetOld();
      const { connector, oauth2, open } = await require(services, workspaceId, reference);
      assertLoopback(redirectUri);
      const [flow, state, verifier] = [secret(), secret(), secret()];
      const expiresAt = now() + lifeMs;
      flows.set(flow, { workspaceId, connectionId: open.id, state, verifier, redirectUri, expiresAt });
      const url = new URL(endpointOf(oauth2.authorizationUrl, connector, open));
      const query = {
        response_type: "code",
        client_id: toText(open.settings["client_id"] ?? ""),
        redirect_uri: redirectUri,
        ...(oauth2.scopes.length > 0 && { scope: oauth2.scopes.join(" ") }),
        state,
        ...(oauth2.pkce && { code_challenge: challengeOf(verifier), code_challenge_method: "S256" }),
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return { flow, url: url.href, expires_at: new Date(expiresAt).toISOString() };
    },
    async finish(workspaceId, id, redirected) {
      forgetOld();
      const flow = flows.get(id);
      if (!flow || flow.workspaceId !== workspaceId) {
        throw refusal("The sign-in is over: it took more than 10 minutes, or was finished before. Begin again");
      }
      const code = readCode(redirected, flow.state);
      // From here on it is used up, whatever comes of it.
      flows.delete(id);
      const { connector, oauth2, open, kept } = await require(services, workspaceId, flow.connectionId);
      const { redirectUri: redirect_uri, verifier: code_verifier } = flow;
      const grant = { grant_type: "authorization_code", code, redirect_uri, ...(oauth2.pkce && { code_verifier }) };
      const answer = await requestTokens(services, { connector, oauth2, connection: open, grant });
      if (answer.kind !== "tokens") throw refusal(`${connector.name} gave no tokens: ${answer.reason}`);
      await replaceCredentials(services, kept, withTokens(open.secrets, answer.tokens, services.world.now()));
      return showConnection(services, workspaceId, open.id);
    },
  };
}

type SignInPlace = {
  connector: Connector;
  oauth2: OAuth2 & { authorizationUrl: string };
  open: OpenConnection;
  kept: KeptConnection;
};

async function require(services: Parts, workspaceId: number, reference: string): Promise<SignInPlace> {
  const kept = requireConnection(services, workspaceId, reference);
  const { name, connector: slug } = kept.record;
  const connector = await services.connectors.find(workspaceId, slug);
  if (!connector) throw new ApiError("CONNECTOR_NOT_FOUND", `There is no connector ${slug} any more`);
  const { oauth2 } = connector.auth;
  if (!oauth2?.authorizationUrl) {
    const message = `Nobody signs in to ${slug} in a browser; give credentials with: stepgate connections update ${name} --ask-secrets`;
    throw refusal(message);
  }
  const open = { ...kept.record, secrets: requireOpened(kept.secrets, `the connection ${name}`) };
  return { connector, oauth2: { ...oauth2, authorizationUrl: oauth2.authorizationUrl }, open, kept };
}

/** The code goes to this machine and nowhere else (RFC 8252, 7.3). */
function assertLoopback(redirectUri: string): void {
  const url = URL.parse(redirectUri);
  const isLoopback = url?.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  if (!isLoopback)
    throw refusal("The redirect address must be one of this machine, such as http://127.0.0.1:PORT/callback");
}

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

/** The code of an address, of its query, or by itself. */
function readCode(redirected: string, state: string): string {
  const text = redirected.trim();
  const isBare = !/[?&=\s]/.test(text);
  if (isBare && text !== "") return text;
  const query = URL.parse(text)?.searchParams ?? new URLSearchParams(text.slice(text.indexOf("?") + 1));
  if (query.get("state") !== state)
    throw refusal("This answer belongs to another sign-in: its state is not the one that was sent");
  const error = query.get("error");
  if (error !== null)
    throw refusal(`The service refused: ${/^[a-z_]{1,64}$/.test(error) ? error : "no reason that can be shown"}`);
  const code = query.get("code");
  if (!code) throw refusal("The answer has no code");
  return code;
}

function refusal(message: string): ApiError {
  return new ApiError("BAD_REQUEST", message);
}
