import type { ManifestHead } from "../../contract/manifest.ts";
import type { OpenConnection } from "../../engine/connector.ts";
import { invalid } from "../invalid-call.ts";

/** Where calls go: the connection's own address, else the connector's. Throws a CallError when there is neither. */
export function baseOf({ slug, baseUrl }: ManifestHead, connection: OpenConnection | null): string {
  const own = connection?.settings["baseUrl"];
  if (typeof own === "string" && own !== "") return own;
  if (baseUrl !== null) return baseUrl;
  throw invalid(`${slug} has no address of its own: give the connection the setting baseUrl`);
}

/** The origins that a connector's credentials may go to; a build that changes them detaches its connections. */
export function originsOf({ baseUrl, auth }: ManifestHead): string[] {
  const addresses = [baseUrl, ...(auth.type === "oauth2" ? [auth.tokenUrl, auth.authorizationUrl ?? null] : [])];
  return addresses.map((address) => (address === null ? "" : (URL.parse(address)?.origin ?? ""))).toSorted();
}
