import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "./read-json.ts";
import { findOffset } from "./source-tree.ts";

describe("readJson", () => {
  it("reads whatever JSON.stringify writes, with the same values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJson(text)).toMatchObject({ problems: [] });
        expect(JSON.stringify(readJson(text).root?.value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each([
    ['{"a": 1,}', 8, "expected a key in double quotes"],
    ["{a: 1}", 1, "expected a key in double quotes"],
    ['{"a" 1}', 5, 'expected ":"'],
    ["[1 2]", 3, 'expected "," or "]"'],
    ["[1", 2, "the end of the file"],
    ["", 0, "expected a value"],
    ["[1] x", 4, "expected nothing after the value"],
    ['["a\nb"]', 1, "line break"],
    ['["\\x"]', 1, "unknown escape"],
    ['["abc', 1, "ends in a quote"],
    ["[01]", 2, 'expected "," or "]"'],
    ["[1e999]", 1, "too large"],
    ["[nul]", 1, "expected a value"],
  ])("says what is wrong with %j and where", (text, at, message) => {
    const { root, problems } = readJson(text);
    expect(root).toBeNull();
    expect(problems).toEqual([expect.objectContaining({ at, message: expect.stringContaining(message) })]);
  });

  it("goes on after a doubled key", () => {
    const { root, problems } = readJson('{"a": 1, "a": 2, "b": {"c": 1, "c": 1}}');
    expect(problems.map(({ code, at }) => [code, at])).toEqual([
      ["duplicate_key", 9],
      ["duplicate_key", 31],
    ]);
    expect(root?.value).toEqual({ a: 2, b: { c: 1 } });
  });

  it("refuses more than 64 levels without running out of stack", () => {
    expect(readJson("[".repeat(64) + "]".repeat(64)).problems).toEqual([]);
    expect(readJson("[".repeat(500_000)).problems).toEqual([expect.objectContaining({ code: "too_deep", at: 64 })]);
  });

  it("keeps __proto__ as a key like others", () => {
    const value = readJson('{"__proto__": {"x": 1}}').root?.value ?? {};
    expect(Object.getOwnPropertyNames(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("knows where each part stands", () => {
    const text = '{"a": [10, {"b": "x"}], "c": {}}';
    const root = readJson(text).root;
    const at = (...path: string[]) => root && text.slice(findOffset(root, path));
    expect(at("a", "0")).toMatch(/^10/);
    expect(at("a")).toMatch(/^"a"/);
    expect(at("a", "1", "b")).toMatch(/^"x"/);
    expect(at("a", "1", "missing", "deeper")).toMatch(/^\{"b"/);
    expect(at("a", "01")).toMatch(/^"a"/);
  });
});
