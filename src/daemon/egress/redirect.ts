import { refusal } from "./address-guard.ts";

/** A request as it is sent and, after a redirect, sent again. */
export type OutgoingRequest = { url: URL; method: string; headers: Headers; body: Uint8Array<ArrayBuffer> | null };

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const bodyHeaders = ["content-encoding", "content-language", "content-location", "content-type", "content-length"];
const originHeaders = ["authorization", "proxy-authorization", "cookie", "host"];

/**
 * The request that a redirect asks for, as fetch makes it; null when the response is none. What authenticates stays with
 * the origin that it was meant for. Throws a CallError for a place that may not be called, and for a body with a secret
 * that would go to another origin.
 */
export function followRedirect(
  request: OutgoingRequest,
  response: { status: number; headers: Pick<Headers, "get"> },
  holdsSecret: (text: string) => boolean,
): OutgoingRequest | null {
  const location = response.headers.get("location");
  if (!redirects.has(response.status) || location === null) return null;
  const url = checkUrl(location, request.url);
  const headers = new Headers(request.headers);
  const next: OutgoingRequest = { ...request, url, headers };
  if (becomesGet(response.status, request.method)) {
    next.method = "GET";
    next.body = null;
    for (const name of bodyHeaders) headers.delete(name);
  }
  if (url.origin === request.url.origin) return next;
  for (const name of originHeaders) headers.delete(name);
  for (const [name, value] of request.headers) if (holdsSecret(value)) headers.delete(name);
  if (next.body && holdsSecret(new TextDecoder().decode(next.body))) {
    throw refusal(`${request.url.host} redirects a body with credentials to ${url.host}`);
  }
  return next;
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

/** Reads an address as browsers do; http and https without credentials in it, or a CallError. */
export function checkUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (!url) throw refusal("the address is no URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refusal(`${url.protocol} is no protocol for calls; only http: and https: are`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refusal(`the address of ${url.host} holds a user name or password; put credentials into a connection`);
  }
  return url;
}
