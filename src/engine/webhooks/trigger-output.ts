import type { Json } from "../../contract/json.ts";
import { signatureHeaders } from "./verify-signature.ts";

/** Credentials of the sender, which are for this daemon and not for a workflow (contract 11). */
const leftOut: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie", ...signatureHeaders]);

/** What `{{trigger.output}}` is in a run that a webhook starts: `{body, timestamp, headers, query}`. */
export function webhookOutput(body: Json, at: Date, headers: Headers, query: URLSearchParams): { [key: string]: Json } {
  const kept = [...headers].filter(([name]) => !leftOut.has(name));
  return { body, timestamp: at.toISOString(), headers: Object.fromEntries(kept), query: readQuery(query) };
}

/** A name that comes several times has the list of its values. */
function readQuery(query: URLSearchParams): { [name: string]: Json } {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(
    names.map((name): [string, Json] => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

/** What the sender calls the event, so that a repetition starts nothing; null where it says nothing. */
export function dedupIdOf(headers: Headers): string | null {
  const id = headers.get("webhook-id") ?? headers.get("x-github-delivery");
  return id === null || id === "" ? null : id;
}
