import { createHash, timingSafeEqual } from "node:crypto";
import { keyPrefix } from "../contract/key.ts";

/** Bytes of randomness in a secret and in its salt (spec 2.1). */
export const secretBytes = 24;
export const saltBytes = 16;

const prefixLength = keyPrefix.length + 4;
const secretLength = keyPrefix.length + 32;

/** Compared with where no key has the prefix, so that an unknown prefix costs what a wrong secret costs (contract 9). */
const absent = { salt: new Uint8Array(saltBytes), hash: new Uint8Array(32) };

/** A key's secret: the fixed prefix and 24 random bytes in base64url. */
export function formatSecret(random: Uint8Array): string {
  return keyPrefix + Buffer.from(random).toString("base64url");
}

/** The first 8 characters: the part of a secret that may be stored and shown. */
export function publicPrefix(secret: string): string {
  return secret.slice(0, prefixLength);
}

/** SHA-256 over the salt's bytes followed by the secret's UTF-8 bytes (contract 9). */
export function hashSecret(salt: Uint8Array, secret: string): Uint8Array {
  return createHash("sha256").update(salt).update(secret, "utf8").digest();
}

/** Of the keys that share a secret's prefix the one that it opens, in constant time for each; null when there is none. */
export function matchSecret<Key extends { salt: Uint8Array; hash: Uint8Array }>(
  secret: string,
  candidates: readonly Key[],
): Key | null {
  if (candidates.length === 0) isOpenedBy(secret, absent);
  let match: Key | null = null;
  for (const key of candidates) if (isOpenedBy(secret, key)) match = key;
  return match;
}

function isOpenedBy(secret: string, key: { salt: Uint8Array; hash: Uint8Array }): boolean {
  return timingSafeEqual(hashSecret(key.salt, secret), key.hash);
}

/** The secret of an `Authorization: Bearer …` header; null when there is none of the right form. */
export function bearerSecret(header: string | undefined): string | null {
  const [scheme, secret, ...rest] = header?.split(" ") ?? [];
  if (scheme?.toLowerCase() !== "bearer" || rest.length > 0) return null;
  const isWellFormed = secret?.length === secretLength && secret.startsWith(keyPrefix) && !/[^\w-]/.test(secret);
  return isWellFormed ? secret : null;
}
