import { BlockList, isIP } from "node:net";

/** A place that a call wants to reach: the name that was asked for, and an address that it has. */
export type Place = { hostname: string; address: string; port: number };

/** Tells whether the configuration lists a place (`egress.allow`). */
export type AllowList = (place: Place) => boolean;

/**
 * Reads entries such as `127.0.0.1:6333`, `localhost:11434`, `10.0.0.0/8` and `[::1]:8080`; without a port all ports are
 * meant. A name allows whatever addresses it has. Throws an Error that names the entry that is none.
 */
export function readAllowList(entries: readonly string[]): AllowList {
  const rules = entries.map(readEntry);
  return (place) => rules.some((rule) => rule(place));
}

const shape = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<host>[^\s:/[\]]+))(?:\/(?<bits>\d{1,3}))?(?::(?<port>\d{1,5}))?$/i;

function readEntry(entry: string): AllowList {
  const { six, host = six, bits, port } = shape.exec(entry)?.groups ?? {};
  const family = isIP(host ?? "");
  if (host === undefined || !isWithin(port, 65_535) || !isWithin(bits, bitsOf(family))) {
    throw new Error(
      `egress.allow: ${JSON.stringify(entry)} is no address; write 127.0.0.1:6333, localhost or [::1]:80`,
    );
  }
  const matches = family === 0 ? hasName(host) : inNetwork(host, family, bits);
  return (place) => (port === undefined || Number(port) === place.port) && matches(place);
}

function isWithin(digits: string | undefined, most: number): boolean {
  return digits === undefined || Number(digits) <= most;
}

/** A name has no networks. */
function bitsOf(family: number): number {
  if (family === 0) return -1;
  return family === 4 ? 32 : 128;
}

function hasName(name: string): AllowList {
  return ({ hostname }) => bare(hostname) === bare(name);
}

function bare(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function inNetwork(address: string, family: number, bits: string | undefined): AllowList {
  const list = new BlockList();
  const kind = family === 4 ? "ipv4" : "ipv6";
  list.addSubnet(address, Number(bits ?? bitsOf(family)), kind);
  return (place) => isIP(place.address) === family && list.check(place.address, kind);
}
