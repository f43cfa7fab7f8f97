import ipaddr from "ipaddr.js";

/**
 * What may become of a call to an address (contract 13): `private` ones are called where somebody allowed it, `never`
 * ones by nobody. `address` is what is really reached: of an IPv4 address in IPv6 clothes, the IPv4 address.
 */
export type AddressClass = { address: string; reach: "public" | "private" | "never"; what: string };

/** Addresses of cloud metadata services that no range gives away. */
const metadata = new Set(["100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"]);

const privateRanges: Readonly<Record<string, string>> = {
  loopback: "a loopback address",
  private: "a private address",
  carrierGradeNat: "an address of carrier-grade NAT",
  uniqueLocal: "a private address",
  deprecatedSiteLocal: "a private address",
};

/** Classifies an address as a socket would connect to it. Whatever is no address of the open Internet is refused. */
export function classifyAddress(text: string): AddressClass {
  const [plain = ""] = text.split("%", 1);
  if (!ipaddr.isValid(plain)) return { address: text, reach: "never", what: "no address" };
  const parsed = ipaddr.parse(plain);
  if (parsed instanceof ipaddr.IPv6) {
    if (parsed.isIPv4MappedAddress()) return classify(parsed.toIPv4Address());
    const translated = translatedAddress(parsed);
    if (translated) return classifyTranslated(parsed, translated);
  }
  return classify(parsed);
}

function classify(parsed: ipaddr.IPv4 | ipaddr.IPv6): AddressClass {
  const address = parsed.toString();
  const range = parsed.range();
  if (metadata.has(address)) return { address, reach: "never", what: "an address of a metadata service" };
  const isPrivate = privateRanges[range];
  if (isPrivate !== undefined) return { address, reach: "private", what: isPrivate };
  if (range === "unicast" && isGlobal(parsed)) return { address, reach: "public", what: "a public address" };
  const what = range === "linkLocal" ? "a link-local address" : `a reserved address (${range})`;
  return { address, reach: "never", what };
}

/** Global unicast of IPv6 is 2000::/3; what else counts as unicast there, such as `::127.0.0.1`, is not to be called. */
function isGlobal(parsed: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return parsed instanceof ipaddr.IPv4 || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** The IPv4 address that a gateway would make of an IPv6 one: 6to4, NAT64 and SIIT. */
function translatedAddress(parsed: ipaddr.IPv6): ipaddr.IPv4 | null {
  const { parts } = parsed;
  const from = (high = 0, low = 0) => new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
  const range = parsed.range();
  if (range === "6to4") return from(parts[1], parts[2]);
  const isWellKnown = range === "rfc6052" && parts.slice(2, 6).every((part) => part === 0);
  return isWellKnown || range === "rfc6145" ? from(parts[6], parts[7]) : null;
}

/** In networks without IPv4 every host has such an address, so that those of public hosts are called. */
function classifyTranslated(parsed: ipaddr.IPv6, translated: ipaddr.IPv4): AddressClass {
  const inner = classify(translated);
  const what = `${inner.address} behind a translation`;
  return { address: parsed.toString(), reach: inner.reach === "public" ? "public" : "never", what };
}
