import type { Json } from "../../contract/json.ts";
import type { KnownSecrets } from "../redaction/known-secrets.ts";
import { redact, redactLogText } from "../redaction/redact.ts";

/** Characters of a body that the log of deliveries keeps. */
const maxLength = 16 * 1024;

/** A body that was read, as the log may keep it. */
export function loggedBody(body: Json, known: KnownSecrets | null): string {
  return cutBody(JSON.stringify(redact(body, known).value));
}

/**
 * A body that nobody could read, or that nobody trusts, redacted as a text. Twice as much is redacted as is kept, so that
 * no secret is cut in two before it is looked for.
 */
export function loggedBytes(bytes: Uint8Array, known: KnownSecrets | null): string | null {
  if (bytes.byteLength === 0) return null;
  const head = new TextDecoder().decode(bytes.subarray(0, 2 * maxLength));
  return cutBody(redactLogText(head, known));
}

export function cutBody(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
