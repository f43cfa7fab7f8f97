import { ApiError } from "../../contract/errors.ts";
import { webhookPath } from "../../contract/webhook.ts";

/** Where callers reach the daemon; the port is known once it listens. */
export type Address = {
  host: string;
  port: number;
  baseUrl: string | null;
  /** The address under which senders reach webhooks, and nothing else. */
  webhookBase?: string | null;
};

/** Throws FORBIDDEN for a request that a foreign web page caused or that came under a foreign name (contract 17). */
export type CheckOrigin = (request: Request) => void;

const loopback = ["127.0.0.1", "localhost", "[::1]"];
const wildcards = new Set(["0.0.0.0", "::"]);

/**
 * A page of another site must not reach a daemon on the user's machine: neither under a name that it made point here
 * (Host), nor with a request of its own (Origin, Sec-Fetch-Site). Requests of programs carry none of the latter.
 */
export function createOriginCheck(address: Address): CheckOrigin {
  const base = address.baseUrl === null ? null : new URL(address.baseUrl);
  const forWebhooks = address.webhookBase ? new URL(address.webhookBase) : null;
  const names = wildcards.has(address.host) ? loopback : [...loopback, bracketed(address.host)];
  const hosts = new Set(names.map((name) => `${name}:${address.port}`));
  const origins = new Set([...hosts].map((host) => `http://${host}`));
  if (base) {
    hosts.add(base.host);
    origins.add(base.origin);
  }
  return (request) => {
    const isHook = new URL(request.url).pathname.startsWith(webhookPath);
    const host = (request.headers.get("host") ?? new URL(request.url).host).toLowerCase();
    if (!hosts.has(host) && !(isHook && host === forWebhooks?.host)) {
      throw new ApiError("FORBIDDEN", isHook && !forWebhooks ? foreignSender : foreignHost);
    }
    const origin = request.headers.get("origin");
    checkSite(request, origin === null || origins.has(origin) || (isHook && origin === forWebhooks?.origin));
  };
}

function checkSite(request: Request, isOwnOrigin: boolean): void {
  if (!isOwnOrigin) throw new ApiError("FORBIDDEN", "The Origin is not allowed");
  if (request.headers.get("sec-fetch-site") === "cross-site") {
    throw new ApiError("FORBIDDEN", "Requests of other sites are not allowed");
  }
}

const foreignHost =
  "The Host is not allowed: use a loopback name with the daemon's port, or set server.baseUrl to the address that callers use";

const foreignSender =
  "The Host is not allowed, since server.webhookBase is unset: set it to the address under which senders reach this daemon, such as https://hooks.example.org";

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host.toLowerCase();
}
