import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { bearerSecret, formatSecret, hashSecret, matchSecret, publicPrefix } from "./key-secret.ts";

const secret = formatSecret(new Uint8Array(24).fill(7));

function keyOf(text: string, salt: number) {
  const bytes = new Uint8Array(16).fill(salt);
  return { salt: bytes, hash: hashSecret(bytes, text) };
}

it("a secret is the fixed prefix and 32 base64url characters, its public part the first 8", () => {
  expect(secret).toBe("sgt_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH");
  expect(publicPrefix(secret)).toBe("sgt_BwcH");
});

it("the hash is SHA-256 over the salt's bytes and the secret's", () => {
  const salt = new Uint8Array(16).fill(200);
  const expected = createHash("sha256")
    .update(Buffer.concat([salt, Buffer.from(secret)]))
    .digest();
  expect(Buffer.from(hashSecret(salt, secret))).toEqual(expected);
});

it("of several keys with one prefix the right one is found, whatever the order", () => {
  const [wrong, right] = [keyOf(`${secret.slice(0, 35)}x`, 1), keyOf(secret, 2)];
  expect(matchSecret(secret, [wrong, right])).toBe(right);
  expect(matchSecret(secret, [right, wrong])).toBe(right);
  expect(matchSecret(secret, [wrong])).toBeNull();
  expect(matchSecret(secret, [])).toBeNull();
});

const headers: [name: string, header: string | undefined, found: string | null][] = [
  ["a well-formed key", `Bearer ${secret}`, secret],
  ["another spelling of the scheme", `bearer ${secret}`, secret],
  ["no header", undefined, null],
  ["an empty header", "", null],
  ["the scheme alone", "Bearer", null],
  ["another scheme", `Basic ${secret}`, null],
  ["a key without scheme", secret, null],
  ["a key that is too short", `Bearer ${secret.slice(0, -1)}`, null],
  ["a key that is too long", `Bearer ${secret}a`, null],
  ["another prefix", `Bearer sgu_${secret.slice(4)}`, null],
  ["a character outside base64url", `Bearer ${secret.slice(0, -1)}+`, null],
  ["something after the key", `Bearer ${secret} x`, null],
];

it.each(headers)("reads the secret of %s", (_, header, found) => {
  expect(bearerSecret(header)).toBe(found);
});
