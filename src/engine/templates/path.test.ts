import fc from "fast-check";
import { expect, it } from "vitest";
import { leastCpuMs } from "../../../test/support/cpu-time.ts";
import { parsePath } from "./path.ts";

const valid: [text: string, path: (string | number)[]][] = [
  ["a", ["a"]],
  ["a.b", ["a", "b"]],
  ["a[0].b", ["a", 0, "b"]],
  ["a.0.b", ["a", 0, "b"]],
  ["a[0][1]", ["a", 0, 1]],
  ['a["odd key"]', ["a", "odd key"]],
  ["a['odd key'].b", ["a", "odd key", "b"]],
  ['a["0"]', ["a", "0"]],
  ['a[""]', ["a", ""]],
  ['["odd key"].x', ["odd key", "x"]],
  ["[2].x", [2, "x"]],
  ["0", [0]],
  ["a.00", ["a", "00"]],
  ["a.9007199254740993", ["a", "9007199254740993"]],
  ["order-1.line_2.$ref", ["order-1", "line_2", "$ref"]],
  ["заказ.имя", ["заказ", "имя"]],
  ["नमस्ते", ["नमस्ते"]],
  [" a . b [ 0 ] [ 'c' ] ", ["a", "b", 0, "c"]],
  [String.raw`a["say \"hi\" \\ \u00e9\n"]`, ["a", 'say "hi" \\ é\n']],
  [String.raw`a['it\'s']`, ["a", "it's"]],
  ['a["]}}."]', ["a", "]}}."]],
  ["__proto__.constructor", ["__proto__", "constructor"]],
];

it.each(valid)("%s is a path", (text, path) => {
  expect(parsePath(text)).toEqual(path);
});

const invalid: [text: string, offset: number, message: RegExp][] = [
  ["", 0, /ends too early/],
  ["  ", 2, /ends too early/],
  ["a.", 2, /ends too early/],
  ["a..b", 2, /unexpected "\."/],
  [".a", 0, /unexpected "\."/],
  ["a b", 2, /unexpected "b"/],
  ["a + 1", 2, /unexpected "\+"/],
  ["f(x)", 1, /unexpected "\("/],
  ["a|upper", 1, /unexpected "\|"/],
  ["a😀", 1, /unexpected "😀"/u],
  ["a[", 2, /ends too early/],
  ["a[0", 3, /ends too early/],
  ["a[]", 2, /unexpected "]"/],
  ["a[b]", 2, /unexpected "b"/],
  ["a[-1]", 2, /unexpected "-"/],
  ["a[01]", 2, /starts with a zero/],
  ["a[1.5]", 3, /unexpected "\."/],
  ['a["x]', 2, /quote " is never closed/],
  ["a['x\"]", 2, /quote ' is never closed/],
  ['a["x"', 5, /ends too early/],
  [String.raw`a["\q"]`, 3, /unknown escape \\q/],
  [String.raw`a["\u12"]`, 3, /unknown escape \\u/],
  ["a[0]b", 4, /unexpected "b"/],
];

it.each(invalid)("%j is refused at offset %i", (text, offset, message) => {
  expect(parsePath(text)).toEqual({ message: expect.stringMatching(message), offset });
});

const anyKey = fc.oneof(fc.string({ unit: "binary" }), fc.nat(), fc.constantFrom("__proto__", "0", "a.b", '"', "\\"));

it("every path can be written down and read back", () => {
  const write = (path: (string | number)[]) => path.map((key) => `[${JSON.stringify(key)}]`).join("");
  fc.assert(
    fc.property(fc.array(anyKey, { minLength: 1 }), (path) => {
      expect(parsePath(write(path))).toEqual(path);
    }),
  );
});

it("no text makes it throw, and an error lies inside the text or at its end", () => {
  const pieces = fc.constantFrom("a", "0", ".", "[", "]", '"', "'", "\\", " ", "{", "}", "é", "\u{1F600}", "\ud800");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (chosen) => {
      const text = chosen.join("");
      const parsed = parsePath(text);
      if (Array.isArray(parsed)) expect(parsed.length).toBeGreaterThan(0);
      else expect(parsed.offset).toSatisfy((offset: number) => offset >= 0 && offset <= text.length);
    }),
  );
});

it("a path of 100,000 keys is read in linear time", () => {
  const parse = () => expect(parsePath(`a${".b[0]".repeat(50_000)}`)).toHaveLength(100_001);
  expect(leastCpuMs(parse)).toBeLessThan(500);
});
