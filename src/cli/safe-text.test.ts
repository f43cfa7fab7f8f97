import fc from "fast-check";
import { expect, it } from "vitest";
import { safeJson, safeLines, safeText } from "./safe-text.ts";

const hostile: [name: string, text: string, shown: string][] = [
  ["plain text", "Ada Lovelace", "Ada Lovelace"],
  ["letters of other scripts", "Жанна 東京 café", "Жанна 東京 café"],
  ["an emoji with its variation selector", "❤️", "❤️"],
  ["a colour", "\x1b[31mred\x1b[0m", "red"],
  ["hidden text", "\x1b[8msecret\x1b[0m", "secret"],
  ["a cleared screen", "a\x1b[2J\x1b[Hb", "ab"],
  ["a window title", "a\x1b]0;owned\x07b", "ab"],
  ["a link that says something else", "\x1b]8;;http://evil.test\x1b\\bank\x1b]8;;\x1b\\", "bank"],
  ["a write to the clipboard", "\x1b]52;c;cm0gLXJm\x07x", "x"],
  ["a sequence that appears when another one is taken out", "\x1b\x1b[0m[31mx", "\\x1b[31mx"],
  ["an escape sequence that never ends", "a\x1b[", "a\\x1b["],
  ["a C1 control sequence", "\u009b31mx", "x"],
  ["backspaces", "rm -rf\b\b\b\b\b\bls", "rm -rf\\x08\\x08\\x08\\x08\\x08\\x08ls"],
  ["a carriage return", "approved\rdenied", "approved\\rdenied"],
  ["line breaks and tabs", "a\nb\tc", "a\\nb\\tc"],
  ["bells, NUL and DEL", "\x07\x00\x7f", "\\x07\\x00\\x7f"],
  ["bidi overrides and isolates", "\u202egpj.exe\u2066x\u2069", "\\u202egpj.exe\\u2066x\\u2069"],
  ["zero-width characters", "pay\u200bpal\ufeff\u2060", "pay\\u200bpal\\ufeff\\u2060"],
  ["invisible tags", "x\u{e0041}", "x\\u{e0041}"],
  ["line separators", "a\u2028b\u2029c", "a\\u2028b\\u2029c"],
  ["half a surrogate pair", "x\ud800", "x\\ud800"],
];

it.each(hostile)("%s", (_, text, shown) => {
  expect(safeText(text)).toBe(shown);
});

/** Controls, formats (bidi among them) and line separators. */
const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

it("no text whatever leaves a character that steers the terminal", () => {
  const sequences = fc.constantFrom(
    "\x1b",
    "[",
    "]",
    "31m",
    "\x9b",
    "0;x\x07",
    "\x1b\\",
    "\u202e",
    "8;;",
    "P",
    "?25l",
    "\n",
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(sequences).map((parts) => parts.join("")),
  );
  fc.assert(fc.property(texts, (text) => !steering.test(safeText(text))));
});

it("lines stay lines where they are meant to", () => {
  expect(safeLines("one\n\x1b[1mtwo\x1b[0m\t")).toBe("one\ntwo\\t");
});

it("JSON shows nothing that steers and is still the same document", () => {
  expect(safeJson({ "\u202e": "\u009b31m\u007f\u{e0041}" })).toBe('{"\\u202e":"\\u009b31m\\u007f\\udb40\\udc41"}');
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = safeJson(value, indent);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text.replaceAll("\n", "")).not.toMatch(steering);
    }),
  );
});

it("what is undefined is null in JSON", () => {
  expect(safeJson(undefined)).toBe("null");
});
