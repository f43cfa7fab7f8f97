import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import type { AddressGuard } from "./address-guard.ts";

export type ResolvedAddress = { address: string; family: number };

/** All addresses of a name, in the order in which they are to be tried. */
export type ResolveName = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** How the operating system resolves names, the hosts file included. */
export const resolveBySystem: ResolveName = async (hostname) => {
  const { promise, resolve, reject } = Promise.withResolvers<ResolvedAddress[]>();
  systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  return promise;
};

/**
 * An agent whose sockets connect to addresses that the guard let through and to no others: a name is resolved once, while
 * its socket connects, and the socket gets what was checked. It reads no proxy settings of the environment.
 */
export function createGuardedAgent(
  guard: AddressGuard,
  rights: { allowPrivateNetwork: boolean },
  resolveName: ResolveName,
): Agent {
  const connectors = new Map<number, buildConnector.connector>();
  const connectorOf = (port: number): buildConnector.connector => {
    const known = connectors.get(port);
    if (known) return known;
    const options: buildConnector.BuildOptions = { lookup: guardedLookup(guard, rights, resolveName, port), port };
    const connector = buildConnector(options);
    connectors.set(port, connector);
    return connector;
  };
  return new Agent({
    connect(options, callback) {
      const port = Number(options.port || (options.protocol === "https:" ? 443 : 80));
      const hostname = options.hostname.replace(/^\[|\]$/g, "");
      try {
        // A socket looks up names alone.
        if (isIP(hostname) !== 0) guard({ hostname, address: hostname, port }, rights);
      } catch (error) {
        callback(toError(error), null);
        return;
      }
      connectorOf(port)(options, callback);
    },
  });
}

function guardedLookup(
  guard: AddressGuard,
  rights: { allowPrivateNetwork: boolean },
  resolveName: ResolveName,
  port: number,
): LookupFunction {
  const answer = async (...[hostname, options, callback]: Parameters<LookupFunction>): Promise<void> => {
    let addresses;
    try {
      addresses = await findAllowed(guard, rights, resolveName, { hostname, port });
    } catch (error) {
      callback(toError(error), "");
      return;
    }
    if (options.all) callback(null, addresses);
    else callback(null, addresses[0].address, addresses[0].family);
  };
  return (...call) => void answer(...call);
}

/** The addresses of a host that may be called on a port; throws what the guard says where there is none. */
export async function findAllowed(
  guard: AddressGuard,
  rights: { allowPrivateNetwork: boolean },
  resolveName: ResolveName,
  { hostname, port }: { hostname: string; port: number },
): Promise<[ResolvedAddress, ...ResolvedAddress[]]> {
  const family = isIP(hostname);
  const resolved = family === 0 ? await resolveName(hostname) : [{ address: hostname, family }];
  let refused: unknown = new Error(`${hostname} has no address`);
  const allowed = resolved.filter(({ address }) => {
    try {
      guard({ hostname, address, port }, rights);
      return true;
    } catch (error) {
      refused = error;
      return false;
    }
  });
  const [first, ...rest] = allowed;
  if (!first) throw refused;
  return [first, ...rest];
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
