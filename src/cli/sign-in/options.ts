import { flag, value } from "../option.ts";
import { parseDuration } from "../parse-duration.ts";
import type { SignInOptions } from "./sign-in.ts";

/** How a person signs in to a service, for the commands that ask for it. */
export const signInOptions = {
  noBrowser: flag("sign in with a browser anywhere: the address is printed, and what it leads to is pasted back"),
  redirectPort: value("PORT", "port to which the browser comes back, for services that have to know it", {
    parse: parsePort,
  }),
  signInTimeout: value("TIME", "how long to wait for the sign-in (default 5m)", { parse: parseDuration }),
};

const defaultTimeoutMs = 5 * 60_000;

export function readSignInOptions({
  noBrowser,
  redirectPort = 0,
  signInTimeout = defaultTimeoutMs,
}: {
  noBrowser: boolean;
  redirectPort: number | undefined;
  signInTimeout: number | undefined;
}): SignInOptions {
  return { noBrowser, port: redirectPort, timeoutMs: signInTimeout };
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Error("must be a port from 1 to 65535");
  return port;
}
