/** Where webhooks are served, below `server.webhookBase`. */
export const webhookPath = "/webhooks/";

/** What a Respond to Webhook node tells the caller of its webhook (spec 2.10). */
export type HttpAnswer = {
  status: number;
  /** Names in lower case. */
  headers: { [name: string]: string };
  /** Null: no body at all. */
  body: string | null;
};

/** How long the caller of a webhook in respond-node mode waits (contract 11). */
export const respondTimeoutMs = 30_000;

/**
 * Names that an answer may not set: the connection is the server's, a workflow sets no cookies for this daemon's address
 * (contract 11), and what keeps a browser from running an answer stays as it is.
 */
const refusedHeaders: ReadonlySet<string> = new Set([
  "set-cookie",
  "set-cookie2",
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
  "content-security-policy",
  "x-content-type-options",
]);

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible characters, blanks and tabs between them: what every server lets through. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Why a header can't be in an answer; null when it can. No answer carries CORS headers (contract 17). */
export function headerProblem(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  if (!headerName.test(name)) return `${JSON.stringify(name.slice(0, 100))} is not the name of a header`;
  if (refusedHeaders.has(lower) || lower.startsWith("access-control-")) return `A workflow may not set ${lower}`;
  return headerValue.test(value) ? null : `The value of ${lower} has characters that a header can't carry`;
}
