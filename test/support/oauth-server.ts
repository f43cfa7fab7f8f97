import { createHash } from "node:crypto";
import { type Answerer, HttpService } from "./http-service.ts";
import { sampleManifest } from "./manifests.ts";

export const clientSecret = "client-secret-canary";

/** An OAuth2 service: an authorization and a token endpoint that keep to RFC 6749 and 7636, and an API below /things. */
export class OAuthServer {
  readonly service: HttpService;
  /** Access tokens that the API takes. */
  readonly valid = new Set<string>();
  /** The refresh token that counts; each one works once. */
  refreshToken: string | null = null;
  /** Codes that wait to be exchanged, with the challenge and the redirect address that they were made for. */
  readonly #codes = new Map<string, { challenge: string; redirectUri: string }>();
  expiresIn = 3600;
  /** Answers token requests instead. */
  tokenAnswer: Answerer | null = null;
  /** Whether the client's credentials are taken in the header alone. */
  wantsHeader = false;
  /** Every token that was given out. */
  readonly issued: string[] = [];

  private constructor(service: HttpService) {
    this.service = service;
    service.answer = (request, response, socket) => {
      const url = new URL(request.url, service.url);
      if (url.pathname === "/authorize") return this.#authorize(url, response);
      const isToken = url.pathname === "/token";
      if (isToken && this.tokenAnswer) return this.tokenAnswer(request, response, socket);
      if (isToken) return this.#token(new URLSearchParams(request.body), request.headers.authorization, response);
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      const isValid = this.valid.has(token);
      send(response, isValid ? 200 : 401, isValid ? { n: 1 } : { error: "expired" });
    };
  }

  static async start(): Promise<OAuthServer> {
    return new OAuthServer(await HttpService.start());
  }

  /** Requests to the token endpoint, by what they asked for. */
  tokenRequests(): Record<string, string>[] {
    const asked = this.service.requests.filter(({ url }) => url === "/token");
    return asked.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  }

  manifest(auth: object = {}, more: object = {}): Record<string, unknown> {
    const { url } = this.service;
    return sampleManifest({
      baseUrl: url,
      auth: {
        type: "oauth2",
        authorizationUrl: `${url}/authorize`,
        tokenUrl: `${url}/token`,
        scopes: ["read", "write"],
        ...auth,
      },
      test: "get",
      ...more,
    });
  }

  issue(): { access_token: string; refresh_token: string; expires_in: number; token_type: string } {
    const n = this.issued.length;
    const access_token = `access-canary-${n}`;
    this.refreshToken = `refresh-canary-${n}`;
    this.valid.add(access_token);
    this.issued.push(access_token, this.refreshToken);
    return { access_token, refresh_token: this.refreshToken, expires_in: this.expiresIn, token_type: "Bearer" };
  }

  #authorize(url: URL, response: Parameters<Answerer>[1]): void {
    const read = (name: string): string => url.searchParams.get(name) ?? "";
    if (read("code_challenge_method") !== "S256" || read("client_id") !== "me" || read("response_type") !== "code") {
      return send(response, 400, { error: "invalid_request" });
    }
    const code = `code-canary-${this.#codes.size}`;
    const redirectUri = read("redirect_uri");
    this.#codes.set(code, { challenge: read("code_challenge"), redirectUri });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", read("state"));
    response.writeHead(302, { location: back.href }).end();
  }

  #token(form: URLSearchParams, authorization: string | undefined, response: Parameters<Answerer>[1]): void {
    const basic = `Basic ${Buffer.from(`me:${clientSecret}`).toString("base64")}`;
    const inBody = form.get("client_id") === "me" && form.get("client_secret") === clientSecret;
    if (this.wantsHeader ? authorization !== basic : !inBody) return send(response, 401, { error: "invalid_client" });
    if (!this.#isGranted(form))
      return send(response, 400, { error: "invalid_grant", error_description: form.toString() });
    send(response, 200, this.issue());
  }

  #isGranted(form: URLSearchParams): boolean {
    switch (form.get("grant_type")) {
      case "client_credentials":
        return form.get("scope") === "read write";
      case "refresh_token":
        return this.refreshToken !== null && form.get("refresh_token") === this.refreshToken;
      case "authorization_code": {
        const known = this.#codes.get(form.get("code") ?? "");
        this.#codes.delete(form.get("code") ?? "");
        const challenge = createHash("sha256")
          .update(form.get("code_verifier") ?? "")
          .digest("base64url");
        return known?.challenge === challenge && known.redirectUri === form.get("redirect_uri");
      }
      default:
        return false;
    }
  }
}

function send(response: Parameters<Answerer>[1], status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
