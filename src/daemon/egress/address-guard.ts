import type { EgressSettings } from "../../contract/outside.ts";
import { CallError } from "../../engine/calls/call-error.ts";
import { classifyAddress } from "./address-class.ts";
import { readAllowList } from "./allow-list.ts";

export type GuardOptions = {
  settings: EgressSettings;
  /** The port that the daemon listens on; null before it does. */
  ownPort(): number | null;
  /** Addresses of this machine's network interfaces. */
  ownAddresses(): readonly string[];
};

/** Throws a CallError unless the address may be called on this port under these rights. */
export type AddressGuard = (
  place: { hostname: string; address: string; port: number },
  rights: { allowPrivateNetwork: boolean },
) => void;

/** Decides about every address that a call would connect to, at the moment in which it does (contract 13). */
export function createAddressGuard({ settings, ownPort, ownAddresses }: GuardOptions): AddressGuard {
  const isListed = readAllowList(settings.allow);
  return ({ hostname, address: given, port }, rights) => {
    const { address, reach, what } = classifyAddress(given);
    const where = hostname === given ? `${shown(given)}:${port}` : `${hostname}:${port} at ${shown(given)}`;
    if (reach === "never") throw refusal(`${where} is ${what}, which no call may reach`);
    const isOwn = port === ownPort() && (reach === "private" || ownAddresses().includes(address));
    if (isOwn) throw refusal(`${where} is the daemon itself, which no call may reach`);
    if (reach === "public" || rights.allowPrivateNetwork || settings.allowPrivateNetworks) return;
    if (isListed({ hostname, address, port })) return;
    const way = `allow it with the connection's setting allowPrivateNetwork, or list ${listed(address, port)} under egress.allow in the configuration`;
    throw refusal(`${where} is ${what}; if it is meant, ${way}`);
  };
}

/** A call that is refused before anything is sent; trying again would change nothing. */
export function refusal(reason: string): CallError {
  return new CallError({
    code: "VALIDATION_ERROR",
    message: `The call was refused: ${reason}`,
    retryable: false,
    details: { egress: "refused" },
  });
}

function shown(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

function listed(address: string, port: number): string {
  return `"${shown(address)}:${port}"`;
}
