import { createHmac, timingSafeEqual } from "node:crypto";

/** A request as its signature sees it. */
export type SignedRequest = { headers: Headers; body: Uint8Array };

/** How far a signed time may be from now, in either direction (contract 11). */
const toleranceSeconds = 300;

/** Headers of signatures, which are not handed on to runs. */
export const signatureHeaders: readonly string[] = [
  "webhook-signature",
  "x-hub-signature",
  "x-hub-signature-256",
  "stripe-signature",
];

/**
 * Whether a request is signed with one of the secrets in one of the three forms of contract 11: Standard Webhooks,
 * GitHub's or Stripe's, each an HMAC-SHA256 over the raw bytes. `now` is epoch milliseconds. Every secret is tried with
 * every signature, so that the time it takes tells nothing of which was nearly right.
 */
export function verifySignature(request: SignedRequest, secrets: readonly string[], now: number): boolean {
  const seconds = Math.floor(now / 1000);
  const claims = [readStandard(request, seconds), readGitHub(request), readStripe(request, seconds)];
  let isValid = false;
  for (const claim of claims) {
    if (!claim) continue;
    for (const secret of secrets) {
      const wanted = createHmac("sha256", claim.keyOf(secret));
      for (const part of claim.signed) wanted.update(part);
      const mac = wanted.digest();
      for (const given of claim.signatures) isValid = isEqual(given, mac) || isValid;
    }
  }
  return isValid;
}

/** What a request says to be signed, and how. */
type Claim = { signed: readonly (string | Uint8Array)[]; signatures: readonly Buffer[]; keyOf(secret: string): Buffer };

const utf8Key = (secret: string): Buffer => Buffer.from(secret, "utf8");

/** https://www.standardwebhooks.com: `webhook-signature: v1,<base64> v1,<base64>` over `id.timestamp.body`. */
function readStandard({ headers, body }: SignedRequest, now: number): Claim | null {
  const id = headers.get("webhook-id");
  const timestamp = headers.get("webhook-timestamp");
  const list = headers.get("webhook-signature");
  if (id === null || timestamp === null || list === null || !isRecent(timestamp, now)) return null;
  const signatures = list.split(" ").flatMap((entry) => {
    const [version, signature] = entry.split(",", 2);
    return version === "v1" && signature !== undefined ? [Buffer.from(signature, "base64")] : [];
  });
  return { signed: [`${id}.${timestamp}.`, body], signatures, keyOf: standardKey };
}

const standardPrefix = "whsec_";

function standardKey(secret: string): Buffer {
  if (!secret.startsWith(standardPrefix)) return utf8Key(secret);
  const key = Buffer.from(secret.slice(standardPrefix.length), "base64");
  // An empty key is everybody's.
  return key.byteLength === 0 ? utf8Key(secret) : key;
}

/** `x-hub-signature-256: sha256=<hex>` over the body. */
function readGitHub({ headers, body }: SignedRequest): Claim | null {
  const header = headers.get("x-hub-signature-256");
  if (!header?.startsWith("sha256=")) return null;
  return { signed: [body], signatures: [readHex(header.slice("sha256=".length))], keyOf: utf8Key };
}

/** `stripe-signature: t=<seconds>,v1=<hex>,v1=<hex>` over `t.body`; the whole secret is the key, its prefix too. */
function readStripe({ headers, body }: SignedRequest, now: number): Claim | null {
  const fields = (headers.get("stripe-signature") ?? "").split(",").map((field) => field.trim().split("=", 2));
  const timestamp = fields.find(([name]) => name === "t")?.[1];
  if (timestamp === undefined || !isRecent(timestamp, now)) return null;
  const signatures = fields.filter(([name]) => name === "v1").map(([, hex = ""]) => readHex(hex));
  return { signed: [`${timestamp}.`, body], signatures, keyOf: utf8Key };
}

function isRecent(timestamp: string, now: number): boolean {
  return /^\d{1,15}$/.test(timestamp) && Math.abs(now - Number(timestamp)) <= toleranceSeconds;
}

function readHex(text: string): Buffer {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : Buffer.alloc(0);
}

function isEqual(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
