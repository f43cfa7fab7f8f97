import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepEqual, isRecord, parseJson, readPath, setOwn, toJson, toText } from "./json.ts";

describe("readPath", () => {
  const value = {
    a: { b: [10, { "odd key": "x" }], "0": "zero", length: 7 },
    text: "héllo",
    nothing: null,
    list: ["p", "q"],
  };
  const cases: [path: (string | number)[], expected: unknown][] = [
    [[], value],
    [["a", "b", 0], 10],
    [["a", "b", "0"], 10],
    [["a", "b", 1, "odd key"], "x"],
    [["a", 0], "zero"],
    [["a", "length"], 7],
    [["list", "length"], 2],
    [["text", "length"], 5],
    [["text", 0], undefined],
    [["text", "length", "length"], undefined],
    [["list", 2], undefined],
    [["list", -1], undefined],
    [["list", 0.5], undefined],
    [["list", "00"], undefined],
    [["list", "map"], undefined],
    [["nothing"], null],
    [["nothing", "x"], undefined],
    [["missing", "x", "y"], undefined],
    [["toString"], undefined],
    [["a", "hasOwnProperty"], undefined],
    [["__proto__"], undefined],
    [["constructor", "constructor"], undefined],
  ];

  it.each(cases)("%j reads an own property or nothing", (path, expected) => {
    expect(readPath(value, path)).toBe(expected);
  });

  it.each(["__proto__", "constructor", "prototype"])("%s is missing even as an own key of a payload", (key) => {
    expect(readPath(JSON.parse(`{"${key}": {"x": 1}}`), [key, "x"])).toBeUndefined();
  });

  it("a path of 10,000 keys is walked to its end", () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`);
    expect(
      readPath(
        deep,
        Array.from({ length: 10_000 }, () => "a"),
      ),
    ).toBe(1);
  });
});

describe("deepEqual", () => {
  const same: [unknown, unknown][] = [
    [null, null],
    [0, -0],
    ["a", "a"],
    [[], []],
    [{}, {}],
    [
      { a: 1, b: [{ c: null }] },
      { b: [{ c: null }], a: 1 },
    ],
    [JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
  ];
  const different: [unknown, unknown][] = [
    [null, undefined],
    [null, {}],
    [1, "1"],
    [1, true],
    ["", null],
    [[], {}],
    [[1], [1, 2]],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ toString: 1 }, { valueOf: 1 }],
    [{ a: undefined }, { b: undefined }],
    [JSON.parse('{"__proto__": 1}'), { a: 1 }],
  ];

  it.each(same)("%j equals %j", (a, b) => {
    expect([deepEqual(a, b), deepEqual(b, a)]).toEqual([true, true]);
  });

  it.each(different)("%j differs from %j", (a, b) => {
    expect([deepEqual(a, b), deepEqual(b, a)]).toEqual([false, false]);
  });

  it("texts at any depth are compared by the given rule, keys exactly", () => {
    const ignoreCase = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
    expect(deepEqual({ a: ["X"] }, { a: ["x"] }, ignoreCase)).toBe(true);
    expect(deepEqual({ A: "x" }, { a: "x" }, ignoreCase)).toBe(false);
  });

  it("a copy through JSON is equal, whatever the value", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => deepEqual(value, JSON.parse(JSON.stringify(value)))));
  });

  it("values nested 100,000 deep do not overflow the stack", () => {
    const nest = (): unknown => JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(deepEqual(nest(), nest())).toBe(true);
  });
});

describe("setOwn", () => {
  it("makes an own property of any name and leaves every prototype alone", () => {
    const target: Record<string, unknown> = {};
    for (const key of ["a", "__proto__", "constructor", "toString"]) setOwn(target, key, { polluted: key });
    expect(Object.keys(target)).toEqual(["a", "__proto__", "constructor", "toString"]);
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
    expect(readPath({}, ["polluted"])).toBeUndefined();
    expect("polluted" in {}).toBe(false);
  });
});

it.each([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  ["{}", false],
  [undefined, false],
])("isRecord(%j) is %s", (value, expected) => {
  expect(isRecord(value)).toBe(expected);
});

const cycle: unknown[] = [];
cycle.push(cycle);

it.each<[value: unknown, text: string]>([
  ["as it is", "as it is"],
  [null, ""],
  [undefined, ""],
  [0, "0"],
  [1e21, "1e+21"],
  [false, "false"],
  [[1, "a", null], '[1,"a",null]'],
  [{ a: { b: "ü" } }, '{"a":{"b":"ü"}}'],
  [1n, ""],
  [cycle, ""],
])("toText(%o) is %j", (value, text) => {
  expect(toText(value)).toBe(text);
});

it.each<[text: string, value: unknown]>([
  ["null", null],
  [' {"a": [1]} ', { a: [1] }],
  ["", undefined],
  ["{a: 1}", undefined],
  ["NaN", undefined],
])("parseJson(%j) is %j", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

it.each<[value: unknown, json: unknown]>([
  [undefined, null],
  [() => 1, null],
  [1n, null],
  [0, 0],
  [cycle, cycle],
])("toJson(%o) is null for what is no JSON, else the value itself", (value, json) => {
  expect(toJson(value)).toBe(json);
});
