import { createInterface } from "node:readline/promises";
import type { ConnectionBody, SignIn } from "../../contract/connection.ts";
import type { Client } from "../client.ts";
import { CliError, reasonOf } from "../cli-error.ts";
import { connectionPath } from "../connection.ts";
import { type Context, canAsk } from "../context.ts";
import { safeText } from "../safe-text.ts";
import { type LoopbackListener, listenForRedirect } from "./loopback-listener.ts";
import { openBrowser } from "./open-browser.ts";

export type SignInOptions = {
  /** The person opens the address on whatever machine, and brings back what it leads to. */
  noBrowser: boolean;
  /** Of the redirect address, for services that want to know it before; default whatever is free. */
  port: number;
  timeoutMs: number;
};

/** Whether somebody is there who can sign in. */
export function canSignIn(context: Context, { noBrowser }: Pick<SignInOptions, "noBrowser">): boolean {
  return noBrowser || canAsk(context) || Boolean(context.terminal.env["BROWSER"]);
}

/**
 * Has a person sign in to a connection's service with a browser, which comes back to this machine with a code; the daemon
 * exchanges it. Neither the code nor a token is printed. Throws a usage error when that takes too long.
 */
export async function signIn(
  context: Context,
  client: Client,
  connection: ConnectionBody,
  options: SignInOptions,
): Promise<ConnectionBody> {
  const listener = await listenForRedirect(options.port).catch((error: unknown) => {
    throw new CliError("conflict", `The port ${options.port} can't be listened on: ${reasonOf(error)}.`);
  });
  let outcome = { title: "Nothing was changed.", text: "The sign-in did not come to its end; see the terminal." };
  try {
    const begun = await client.post<SignIn>(`${connectionPath(connection.id)}/sign-in`, {
      redirect_uri: listener.redirectUri,
    });
    const redirected = await readRedirect(context, begun, listener, options);
    const signedIn = await client.post<ConnectionBody>("/control/sign-ins", { flow: begun.flow, redirected });
    outcome = { title: "You are signed in.", text: "This page can be closed." };
    return signedIn;
  } finally {
    await listener.close(outcome);
  }
}

async function readRedirect(
  { terminal }: Context,
  { url }: SignIn,
  listener: LoopbackListener,
  { noBrowser, timeoutMs }: SignInOptions,
): Promise<string> {
  const say = (line: string): void => void terminal.stderr.write(`${line}\n`);
  const isOpened = !noBrowser && (await openBrowser(url, terminal.env));
  say(isOpened ? "Sign in with your browser. If it does not show the page, open:" : "Sign in with a browser at:");
  say(safeText(url));
  if (!noBrowser) {
    say("Waiting for it to come back …");
    const state = new URL(url).searchParams.get("state") ?? "";
    return within(listener.redirected(state), timeoutMs);
  }
  say("Afterwards the browser shows an address that it can't open, or a code. Paste that here:");
  const lines = createInterface({ input: terminal.stdin });
  try {
    for await (const line of lines) if (line.trim() !== "") return line.trim();
  } finally {
    lines.close();
  }
  throw new CliError("usage", "Nothing was pasted, so nobody is signed in.");
}

async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const hint = "begin again with: stepgate connections reauthorize NAME";
  const message = `Nobody signed in within ${Math.round(ms / 1000)} s.`;
  const timer = setTimeout(() => reject(new CliError("usage", message, { hint })), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
