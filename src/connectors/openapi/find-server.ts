import { isRecord } from "../../engine/values/json.ts";
import { type Part, listOf, recordOf, textOf } from "./references.ts";

/** The address of the first server, its variables at their defaults; null when it is none that can be called. */
export function findServer(part: Part): string | null {
  const [server] = listOf(part, "servers");
  if (!isRecord(server)) return null;
  const variables = recordOf(server, "variables");
  const address = textOf(server, "url").replace(/\{([^{}]*)\}/g, (_, name: string) =>
    textOf(recordOf(variables, name), "default"),
  );
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "") return null;
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/**
 * What stands between the connector's address and the paths of an operation that has servers of its own; null when those
 * are another host: its credentials must not go there.
 */
export function pathFromBase(base: string | null, own: string | null): string | null {
  if (own === null || base === null) return own === base ? "" : null;
  if (own === base) return "";
  return own.startsWith(`${base}/`) ? own.slice(base.length) : null;
}
