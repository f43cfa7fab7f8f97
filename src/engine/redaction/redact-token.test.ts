import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactTokens } from "./redact-token.ts";

function redact(text: string): string {
  return redactTokens(text, { count: 0 });
}

const T = "[REDACTED_TOKEN]";
const hex40 = "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a";
const mixed39 = "wJalrXUtnFEMI8K7MDENGbPxRfiCYzEXAMPLEKE";

const tokens: [text: string, redacted: string][] = [
  [hex40, T],
  ["a".repeat(40), T],
  [`key: ${mixed39}Y, next`, `key: ${T}, next`],
  ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", T],
  ["aws_secret:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", `aws_secret:${T}`],
  ["x=dGhpcyBpcyBhIHZlcnkgbG9uZyBzZWNyZXQgdA==", `x=${T}`],
  [`${mixed39}=`, T],
  [`${hex40}=value`, `${T}=value`],
  [`"${hex40}" ${hex40}`, `"${T}" ${T}`],
  ["sk_live_abcdefghijklmnopqrstuvwxyzabcdefghij", T],
  ["12345-67890-12345-67890-12345-67890-12345", T],
  ["a-1234-5678-1234-5678-1234-5678-1234-5678", T],
  ["word-".repeat(60), T],
  [`https://example.com/files/${hex40}/raw`, `https://example.com/files/${T}/raw`],
  [
    "https://docs.google.com/spreadsheets/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
    `https://docs.google.com/spreadsheets/d/${T}/edit`,
  ],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6Ikpva.x", `eyJhbGciOiJIUzI1NiJ9.${T}.x`],
];

it.each(tokens)("a token goes: %s", (text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

const ordinary: string[] = [
  "",
  "a".repeat(39),
  mixed39,
  `${mixed39}===`,
  `${mixed39}=x`,
  "01234567-89ab-cdef-0123-456789abcdef",
  "-".repeat(80),
  "|-----|".repeat(20),
  "_".repeat(40),
  "/".repeat(100),
  "https://example.com/this/is/a/very/long/path/that/should/not/be/redacted/at/all",
  "https://api.example.com/v1/Customers/42/Orders/9f8a7b6c5d4e3f2a1b0c9d8e/Items/7",
  "http://localhost:8080/Api/V2/GetUser/ByName/AnnSmith1/AndBobJones2/Json",
  "/usr/local/lib/Python3/SitePackages/MyPackage/SubPackage/Module1",
  "docs/GetCustomerOrders/ByCustomerName/AndOrderStatus/Reference",
  "src/engine/nodes/connectors/spreadsheet/operations/append-rows",
  "https://blog.example.com/2024-how-to-build-a-very-long-slug-for-your-blog-post",
  "STEPGATE_LIMITS_REQUESTS_PER_MINUTE_BUSINESS_DEFAULT",
  "a_test_that_has_a_rather_long_name_in_snake_case",
  "q=how+to+write+a+search+query+that+never+ends+at+all",
];

it.each(ordinary)("ordinary text stays: %s", (text) => {
  expect(redact(text)).toBe(text);
});

it("counts every token once", () => {
  const tally = { count: 0 };
  redactTokens(`${hex40} a/${hex40}/${hex40} ${"word-".repeat(10)}`, tally);
  expect(tally.count).toBe(3);
});

describe("whatever the secret bytes", () => {
  const bytes = fc.nat().map((seed) => createHash("sha512").update(String(seed)).digest());
  const encodings = fc.constantFrom<BufferEncoding>("hex", "base64url");
  const around = fc.constantFrom(["", ""], ["key ", "."], ['"', '"'], ["?t=", "&x=1"]);

  it("hex and base64url of 30 bytes and more are hidden whole", () => {
    fc.assert(
      fc.property(
        bytes,
        fc.integer({ min: 30, max: 64 }),
        encodings,
        around,
        (hash, length, encoding, [before, after]) => {
          const token = hash.subarray(0, length).toString(encoding);
          expect(redact(`${before}${token}${after}`)).toBe(`${before}${T}${after}`);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("base64 with slashes is hidden whole but for a few in a thousand", () => {
    const isHidden = (seed: number) =>
      redact(createHash("sha512").update(String(seed)).digest().subarray(0, 30).toString("base64")) === T;
    const seeds = Array.from({ length: 5000 }, (_, seed) => seed);
    expect(seeds.filter((seed) => !isHidden(seed)).length).toBeLessThan(15);
  });
});
