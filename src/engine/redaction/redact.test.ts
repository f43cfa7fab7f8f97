import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leastCpuMs } from "../../../test/support/cpu-time.ts";
import { hostile } from "../../../test/support/hostile-texts.ts";
import { readPath, type Json } from "../values/json.ts";
import { knownSecrets } from "./known-secrets.ts";
import { redact, redactLogText } from "./redact.ts";

const key = "sgt_x9QfAbCdEfGhIjKlMnOpQrStUvWxYz01";
const E = "[REDACTED_EMAIL]";
const P = "[REDACTED_PHONE]";
const T = "[REDACTED_TOKEN]";

describe("texts", () => {
  const cases: [text: string, redacted: string][] = [
    ["Authorization: Bearer abc.def-ghi_123~+/==", "Authorization: Bearer [REDACTED]"],
    ["bearer\n\tABC then", "Bearer [REDACTED] then"],
    ["Bearer: none", "Bearer: none"],
    [`Bearer ${key}`, "Bearer [REDACTED]"],
    ["https://x.io/?api_key=0123456789abcdef&page=2", "https://x.io/?[REDACTED]&page=2"],
    ["ACCESS_TOKEN = 'abcdefghij-klmnop.qr'; go", "[REDACTED]; go"],
    ['secret_key="abcdefghijklmnop', "[REDACTED]"],
    ['{"url":"?api_key=abcdefghijklmnop"}', '{"url":"?[REDACTED]"}'],
    ["api_key=abcdefghijklmno", "api_key=abcdefghijklmno"],
    ["my_api_key=%2Fabcdefghijklmnop", "my_[REDACTED]"],
    ["api_key: abcdefghijklmnop", "api_key: abcdefghijklmnop"],
    ["mail ann@example.com now", `mail ${E} now`],
    ["89161234567@mail.ru", E],
    [`${"a".repeat(50)}@example.com`, E],
    ["+7 (916) 123-45-67", P],
    ["+79161234567", P],
    ["8 916 123 45 67", P],
    ["8-916-123-45-67,8(916)1234567", `${P},${P}`],
    ["tel:89161234567.", `tel:${P}.`],
    ["id89161234567", `id${P}`],
    ["+7\u00a0916\u00a0123‑45–67", P],
    ["891612345678", "891612345678"],
    ["189161234567", "189161234567"],
    ["8916123456", "8916123456"],
    ["8.916.123.45.67", "8.916.123.45.67"],
    ["+1 916 123 45 67", "+1 916 123 45 67"],
    ["8    9161234567", "8    9161234567"],
    ["0192a3b4-8123-4567-8901-c12345678901", "0192a3b4-8123-4567-8901-c12345678901"],
    ["5f89123456789a0b1c2d3e4f", "5f89123456789a0b1c2d3e4f"],
    [`sha1 ${"0f".repeat(20)}`, `sha1 ${T}`],
    [key, T],
    [`keys ${key}, ${key}!`, `keys ${T}, ${T}!`],
    [`https://x.io/keys/${key}/y`, `https://x.io/keys/${T}/y`],
    [key.slice(0, 35), key.slice(0, 35)],
    ["a=1 @home, order 8 of 12", "a=1 @home, order 8 of 12"],
    ["", ""],
  ];

  it.each(cases)("%s", (text, redacted) => {
    expect(redact(text).value).toBe(redacted);
  });

  it("counts each replacement", () => {
    expect(redact(`a@b.cc ${key} +79161234567 Bearer x api_key=abcdefghijklmnop a@b.cc`).count).toBe(6);
  });
});

describe("payloads", () => {
  it("only texts change, never keys, numbers or booleans; lists and objects keep their shape", () => {
    const payload = { "a@b.cc": 89_161_234_567, list: [true, null, "a@b.cc"], deep: { mail: "a@b.cc", fine: "ok" } };
    expect(redact(payload)).toEqual({
      value: { "a@b.cc": 89_161_234_567, list: [true, null, E], deep: { mail: E, fine: "ok" } },
      count: 2,
    });
  });

  it("what does not change is returned itself, and what changes leaves the original as it was", () => {
    const clean: Json = { a: [1, { b: "text" }] };
    const payload: Json = { clean, mail: "a@b.cc" };
    const { value } = redact(payload);
    expect(redact(clean)).toEqual({ value: clean, count: 0 });
    expect(redact(clean).value).toBe(clean);
    expect(readPath(value, ["clean"])).toBe(clean);
    expect(payload).toEqual({ clean, mail: "a@b.cc" });
  });

  it("keys such as __proto__ stay keys", () => {
    const payload: Json = JSON.parse('{"__proto__": {"polluted": "a@b.cc"}, "constructor": "a@b.cc"}');
    expect(JSON.stringify(redact(payload).value)).toBe(`{"__proto__":{"polluted":"${E}"},"constructor":"${E}"}`);
    expect("polluted" in {}).toBe(false);
  });

  const nest = (levels: number, leaf: Json): Json => (levels === 0 ? leaf : { n: nest(levels - 1, leaf) });

  it("depth 10 is kept, the payload being depth 0, and everything below is truncated", () => {
    expect(redact(nest(10, "a@b.cc"))).toEqual({ value: nest(10, E), count: 1 });
    for (const leaf of ["a@b.cc", 7, null, { a: "a@b.cc" }, ["x"]])
      expect(redact(nest(11, leaf))).toEqual({ value: nest(11, "[TRUNCATED]"), count: 1 });
    expect(redact(nest(11, "[TRUNCATED]")).count).toBe(0);
    expect(redact(nest(10, ["a", "b"]))).toEqual({ value: nest(10, ["[TRUNCATED]", "[TRUNCATED]"]), count: 2 });
  });

  it("a payload 100,000 deep is truncated like any other", () => {
    expect(redact(JSON.parse("[".repeat(100_000) + "]".repeat(100_000))).count).toBe(1);
  });
});

describe("known secrets", () => {
  it("go wherever they stand: raw, in JSON text, in a URL; the longest first", () => {
    const secrets = ['pa"ss w/rd', "pass", "password-2"];
    const text = 'pa"ss w/rd {\\"k\\":\\"pa\\"ss w/rd\\"} ?p=pa%22ss%20w%2Frd password-2';
    expect(redact([text], knownSecrets({ secrets }))).toEqual({
      value: [`${T} {\\"k\\":\\"${T}\\"} ?p=${T} ${T}`],
      count: 4,
    });
  });

  it("a connection's become tokens, a workspace's plain [REDACTED]", () => {
    const options = knownSecrets({ secrets: ["conn-secret"], workspaceSecrets: ["ws-secret"] });
    expect(redact({ a: "conn-secret/ws-secret" }, options)).toEqual({ value: { a: `${T}/[REDACTED]` }, count: 2 });
  });

  it("are hidden in JSON within JSON, in forms, and where a text was cut inside them", () => {
    const known = knownSecrets({ workspaceSecrets: ['pa"ss w/rd-1234'] });
    const nested = JSON.stringify({ k: JSON.stringify({ k: 'pa"ss w/rd-1234' }) });
    expect(redact(nested, known).value).toBe(String.raw`{"k":"{\"k\":\"[REDACTED]\"}"}`);
    expect(redact("k=pa%22ss+w%2Frd-1234", known).value).toBe("k=[REDACTED]");
    expect(redact('the key pa"ss w… is wrong', known)).toEqual({ value: "the key [REDACTED]… is wrong", count: 1 });
    expect(redact('the key pa"ss…', known).value).toBe('the key pa"ss…');
  });

  it("of fewer than four characters are left, and odd ones do no harm", () => {
    expect(redact("abc", knownSecrets({ secrets: ["", "a", "abc"] })).value).toBe("abc");
    expect(redact("x\ud800yz1", knownSecrets({ secrets: ["x\ud800yz", "$&.*"] })).value).toBe(`${T}1`);
  });
});

it.each(["a", "8-", "a/", "a@"])("a text of 36 MiB of %s overflows no stack", (unit) => {
  const long = unit.repeat((18 * 1024 * 1024) / unit.length);
  const text = `${long} api_key=${long}`;
  expect(redact(text).count).toBeLessThan(text.length);
});

it("logs keep the public prefix of the service's own keys and are redacted otherwise", () => {
  expect(redactLogText(`used ${key} by a@b.cc`)).toBe(`used sgt_x9Qf… by ${E}`);
  expect(redactLogText("token conn-secret", knownSecrets({ secrets: ["conn-secret"] }))).toBe(`token ${T}`);
  expect(redactLogText(redactLogText(`${key} ok`))).toBe("sgt_x9Qf… ok");
});

/** The same rules as plain patterns over the whole text, one after the other: slow on hostile texts, easy to check by eye. */
function redactNaively(text: string): { value: string; count: number } {
  let count = 0;
  const mark = (replacement: string) => () => {
    count++;
    return replacement;
  };
  const judgePart = (part: string) => {
    const pieces = part.split(/[_+=-]/).filter(Boolean);
    const areWords = pieces.every((piece) => /^([A-Z]?[a-z]{1,19}|[A-Z]{1,20}|\d{1,4})$/.test(piece));
    const isWordy = part.replaceAll(/\D/g, "").length < part.length / 2;
    if (pieces.length === 0 || (pieces.length > 1 && areWords && isWordy && part.length <= 256)) return part;
    return mark(T)();
  };
  const judgeRun = (run: string, at: number, all: string) => {
    if (run.length < 40) return run;
    const share = (chars: RegExp) => run.replaceAll(chars, "").length / run.length;
    const isRandom = share(/[^A-Z]/g) >= 0.15 && share(/[^a-z]/g) >= 0.15 && /\d/.test(run);
    const isPath = /^(\/+|[.:]\/*)([A-Z]?[a-z]+|\d+)\//.test((/[.:]/.exec(all.charAt(at - 1))?.[0] ?? "") + run);
    return run.includes("/") && (!isRandom || isPath)
      ? run
          .split("/")
          .map((part) => (part.length < 40 ? part : judgePart(part)))
          .join("/")
      : judgePart(run);
  };
  const value = text
    .replaceAll(/Bearer[ \t\r\n]+[A-Za-z0-9_.~+/-]+=*/gi, mark("Bearer [REDACTED]"))
    .replaceAll(
      /(api_key|access_token|secret_key)[ \t]*=[ \t]*("[^\s"'`&;,<>()[\]{}\\]{16,}"?|'[^\s"'`&;,<>()[\]{}\\]{16,}'?|[^\s"'`&;,<>()[\]{}\\]{16,})/gi,
      mark("[REDACTED]"),
    )
    .replaceAll(/[\p{L}\p{M}0-9._%+-]+@[\p{L}\p{M}0-9.-]+\.[\p{L}\p{M}]{2,}/gu, mark(E))
    .replaceAll(/[A-Za-z0-9_+/-]+(==?(?![A-Za-z0-9_+/=-]))?/g, (run, _, at: number, all: string) =>
      judgeRun(run, at, all),
    )
    .replaceAll(/sgt_[A-Za-z0-9_-]{32}/g, mark(T))
    .replaceAll(
      /(?<![0-9a-fA-F-])(?=[0-9-]*[a-fA-F])[0-9a-fA-F-]{24,}|(\+7|(?<!\d)8)([ \t\u00a0\u202f()\u2010-\u2013-]{0,3}\d){10}(?!\d)/g,
      (found, start?: string) => (start ? mark(P)() : found),
    );
  return { value, count };
}

describe("whatever the text", () => {
  const chars = (alphabet: string, maxLength: number) =>
    fc.array(fc.constantFrom(...alphabet.split("")), { maxLength }).map((list) => list.join(""));
  const piece = fc.oneof(
    fc.constantFrom(
      "Bearer ",
      "bearer\n",
      "api_key=",
      "ACCESS_TOKEN = ",
      "secret_key='",
      "sgt_",
      "@",
      ".com",
      "://",
      "word-",
    ),
    fc.constantFrom(
      "+7",
      "8",
      " (",
      ") ",
      "=",
      "==",
      "&",
      "é",
      "[REDACTED]",
      key,
      "8 (916) 123-45-67",
      "a@b.cc",
      "/Path",
    ),
    chars("0123456789", 12),
    chars("89 -()+7", 16),
    chars("0123456789abcdefABCDEF-", 44),
    chars("abcXYZ019+/_-=", 48),
    chars("ab.@_%+- é", 10),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));

  it("the result is that of the plain patterns", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(redact(value)).toEqual(redactNaively(value));
      }),
      { numRuns: 10_000 },
    );
  });

  it("redacting again changes nothing", () => {
    fc.assert(
      fc.property(text, (value) => redact(redact(value).value).count === 0),
      { numRuns: 2000 },
    );
  });

  it("a payload changes exactly where its texts do", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (payload) => {
        const { value, count } = redact(payload as Json);
        expect(value === payload).toBe(count === 0);
      }),
    );
  });
});

/** Processor time of the best of three rounds: other work on the machine slows single ones. */
// bench/redaction.ts tells how fast it is; a quadratic pattern takes minutes for these texts.
it.each(hostile)("1 MiB of %s is redacted in linear time", (_, value) => {
  expect(leastCpuMs(() => redact(value), 1)).toBeLessThan(2000);
});
