import { networkInterfaces } from "node:os";
import type { EgressSettings } from "../../contract/outside.ts";
import { CallError } from "../../engine/calls/call-error.ts";
import type { OpenConnection } from "../../engine/connector.ts";
import { type AddressGuard, createAddressGuard, refusal } from "./address-guard.ts";
import type { ResolveName } from "./guarded-agent.ts";
import { limitBody, maxResponseBytes, tooLong } from "./limit-body.ts";
import { isBlockedPort, networkFailure } from "./network-failure.ts";
import { type OutgoingRequest, checkUrl, followRedirect } from "./redirect.ts";

export type EgressOptions = {
  settings: EgressSettings;
  ownPort(): number | null;
  /** Whether a text holds a secret of any workspace; default: none is known. */
  holdsSecret?(text: string): boolean;
  /** How names are resolved; default as the operating system does it. */
  resolveName?: ResolveName;
};

export type Egress = {
  /**
   * A fetch that keeps to the rules of contract 13 under a connection's rights: it calls no forbidden address, follows at
   * most three redirects, and brings in at most 5 MiB, or `maxBytes`. It throws a CallError, or the signal's reason when it is aborted.
   */
  fetchFor(connection: Pick<OpenConnection, "settings" | "secrets"> | null, maxBytes?: number): typeof fetch;
  /** Closes every socket. */
  close(): Promise<void>;
};

const maxRedirects = 3;

/** The daemon's one way outside. Its library is loaded at the first call, since many daemons never make one. */
export function createEgress({ settings, ownPort, holdsSecret, resolveName }: EgressOptions): Egress {
  const guard = createAddressGuard({ settings, ownPort, ownAddresses: () => ownAddresses() });
  let loading: ReturnType<typeof loadSender> | null = null;

  /** Sends one request and follows no redirect. */
  async function sendOnce(request: OutgoingRequest, isPrivate: boolean, signal: AbortSignal): Promise<Response> {
    loading ??= loadSender(guard, resolveName);
    const { send, agents, requireAllowed } = await loading;
    const { url, method, headers, body } = request;
    const dispatcher = isPrivate ? agents.private : agents.open;
    try {
      const init = { method, headers: [...headers] as [string, string][], body, signal, dispatcher } as const;
      const response = await send(url, { ...init, redirect: "manual" });
      // The library has a Response class of its own, with the same shape.
      return response as unknown as Response;
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      // No agent saw the address: where it may not be called, that is what is wrong with it.
      const error = isBlockedPort(thrown)
        ? await requireAllowed(url, isPrivate).then(
            () => thrown,
            (refused: unknown) => refused,
          )
        : thrown;
      throw networkFailure(error, url.host);
    }
  }

  return {
    fetchFor:
      (connection, maxBytes = maxResponseBytes) =>
      async (input, init) => {
        const isPrivate = connection?.settings["allowPrivateNetwork"] === true;
        const isTelling = tellsSecrets(connection, holdsSecret);
        const { signal, mode, ...first } = await readRequest(input, init);
        let request: OutgoingRequest = first;
        for (let redirects = 0; ; redirects += 1) {
          const response = await sendOnce(request, isPrivate, signal);
          const next = mode === "manual" ? null : followRedirect(request, response, isTelling);
          if (!next) return limitResponse(response, request.url, signal, maxBytes);
          await response.body?.cancel();
          if (mode === "error") throw refusal(`${request.url.host} redirects, which this call does not follow`);
          if (redirects >= maxRedirects) throw refusal(`${first.url.host} redirects more than ${maxRedirects} times`);
          request = next;
        }
      },
    async close() {
      if (!loading) return;
      const { agents } = await loading;
      await Promise.all([agents.open.destroy(), agents.private.destroy()]);
    },
  };
}

/** The library, which takes its time to load, and what of it sends requests under the guard. */
async function loadSender(guard: AddressGuard, resolveName: ResolveName | undefined) {
  const { createGuardedAgent, findAllowed, resolveBySystem } = await import("./guarded-agent.ts");
  const { fetch: send } = await import("undici");
  const resolve = resolveName ?? resolveBySystem;
  const agentFor = (allowPrivateNetwork: boolean) => createGuardedAgent(guard, { allowPrivateNetwork }, resolve);
  const requireAllowed = async ({ hostname, port }: URL, allowPrivateNetwork: boolean) => {
    const place = { hostname: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
    await findAllowed(guard, { allowPrivateNetwork }, resolve, place);
  };
  return { send, agents: { open: agentFor(false), private: agentFor(true) }, requireAllowed };
}

/** Whether a text holds a secret of the connection, or one that anybody else knows of. */
function tellsSecrets(
  connection: Pick<OpenConnection, "secrets"> | null,
  holdsSecret: EgressOptions["holdsSecret"],
): (text: string) => boolean {
  const secrets = Object.values(connection?.secrets ?? {}).filter((secret) => secret !== "");
  return (text) => secrets.some((secret) => text.includes(secret)) || (holdsSecret?.(text) ?? false);
}

/** The request in one piece, so that a redirect can send it again. */
async function readRequest(input: string | URL | Request, init: RequestInit | undefined) {
  const url = checkUrl(input instanceof Request ? input.url : String(input));
  const request = toRequest(input, init);
  const { method, headers, signal, redirect: mode } = request;
  const body = request.body ? new Uint8Array(await request.arrayBuffer()) : null;
  if (!headers.has("user-agent")) headers.set("user-agent", "stepgate");
  return { url, method, headers, body, signal, mode };
}

function toRequest(input: string | URL | Request, init: RequestInit | undefined): Request {
  try {
    return new Request(input, init);
  } catch (error) {
    if (init?.signal?.aborted) throw init.signal.reason;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CallError({ code: "VALIDATION_ERROR", message: `The request is not valid: ${reason}`, retryable: false });
  }
}

function limitResponse(response: Response, url: URL, signal: AbortSignal, maxBytes: number): Response {
  const { status, statusText, headers } = response;
  if (response.body && Number(headers.get("content-length") ?? 0) > maxBytes) {
    response.body.cancel().catch(() => undefined);
    throw tooLong(url.host, maxBytes);
  }
  const body = response.body && limitBody(response.body, url.host, signal, maxBytes);
  const limited = new Response(body, { status, statusText, headers: [...headers] });
  // A response that is made by hand does not know where it came from.
  return Object.defineProperty(limited, "url", { value: url.href });
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []);
}
