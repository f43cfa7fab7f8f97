import type { HttpEnv } from "./serve-operations.ts";

const loopbackAddress = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;
const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;
const forwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/**
 * Whether a request comes from this machine. One that a proxy on this machine handed on does not: it names another
 * host, or the proxy says for whom it asks.
 */
export function isLocal({ headers, url }: Request, { incoming }: HttpEnv["Bindings"]): boolean {
  if (!loopbackAddress.test(incoming?.socket.remoteAddress ?? "")) return false;
  const host = headers.get("host") ?? new URL(url).host;
  return loopbackHost.test(host) && !forwarded.some((name) => headers.has(name));
}
