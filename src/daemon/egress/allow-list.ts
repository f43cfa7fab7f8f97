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
  const { six, host, bits, port } = shape.exec(entry)?.groups ?? {};
  const name = six ?? host;
  if (name === undefined) {
    throw new Error(`egress.allow: ${JSON.stringify(entry)} is no address; write 127.0.0.1:6333, localhost or [::1]:80`);
  }
  const family = isIP(name);
  const matches = family === 0 ? hasName(name) : inNetwork(name, family, bits);
  return (place) => (port === undefined || Number(port) === place.port) && matches(place);
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
  list.addSubnet(address, Number(bits ?? (family === 4 ? 32 : 128)), kind);
  return (place) => isIP(place.address) === family && list.check(place.address, kind);
}
