import { describe, expect, it } from "vitest";
import { leastCpuMs } from "../../../test/support/cpu-time.ts";
import { compareDates, compareNumbers, compareTexts, exists, isListed, testBoolean, testList } from "./compare.ts";

const isEqual = (a: unknown, b: unknown) => a === b;

function operands(left: unknown, right?: unknown, caseSensitive = false) {
  return { left, right, caseSensitive };
}

describe("texts", () => {
  const cases: [left: unknown, right: unknown, isEqual: boolean, isSameCase: boolean][] = [
    ["Abc", "aBC", true, false],
    ["abc", "abc", true, true],
    [null, "", true, true],
    [undefined, null, true, true],
    [12, "12", true, true],
    [true, "TRUE", true, false],
    [{ a: 1 }, '{"a":1}', true, true],
    [["x"], '["X"]', true, false],
    ["ПРИВЕТ", "привет", true, false],
    ["İ", "i̇", true, false],
    ["ΟΔΟΣ", "οδοσ", true, false],
    ["ΟΔΟΣ", "οδος", true, false],
    ["straße", "STRASSE", false, false],
    ["I", "ı", false, false],
  ];

  it.each(cases)("%j and %j: equal %s, in the same case %s", (left, right, isFolded, isSameCase) => {
    expect(compareTexts(operands(left, right), isEqual)).toEqual({ matched: isFolded });
    expect(compareTexts(operands(left, right, true), isEqual)).toEqual({ matched: isSameCase });
  });

  it("a prefix stays one where its last letter has another form at the end of a word", () => {
    expect(compareTexts(operands("ΟΔΟΣΑ", "ΟΔΟΣ"), (a, b) => a.startsWith(b))).toEqual({ matched: true });
  });
});

describe("numbers and dates", () => {
  it("compare by value, and name the side that is none", () => {
    const isMore = (a: number, b: number) => a > b;
    expect(compareNumbers(operands("10", 9), isMore)).toEqual({ matched: true });
    expect(compareNumbers(operands("9", "10"), isMore)).toEqual({ matched: false });
    expect(compareNumbers(operands("ten", 9), isMore)).toEqual({ matched: false, reason: "left is no number" });
    expect(compareNumbers(operands(10, null), isMore)).toEqual({ matched: false, reason: "right is no number" });
    expect(compareDates(operands("2024-01-02", 0), isMore)).toEqual({ matched: true });
    expect(compareDates(operands("soon", 0), isMore).reason).toMatch(/^left is no date/);
    expect(compareDates(operands(0, true), isMore).reason).toMatch(/^right is no date/);
  });
});

describe("lists", () => {
  const isOne = (list: readonly unknown[]) => list.length === 1;

  it.each([[["a"]], ['["a"]'], [' [ {"a": 1} ] ']])("%j is a list of one", (left) => {
    expect(testList(operands(left), isOne)).toEqual({ matched: true });
  });

  it.each([[null], [undefined], ["a"], ["[a]"], ['{"a": 1}'], ['"["'], [{ 0: "a", length: 1 }], [1]])(
    "%j is no list",
    (left) => {
      expect(testList(operands(left), isOne)).toEqual({ matched: false, reason: "left is no list" });
    },
  );

  const items: [list: unknown[], right: unknown, isListed: boolean, isSameCase: boolean][] = [
    [["a", "B"], "b", true, false],
    [["a", "B"], "B", true, true],
    [[1, 2], 2, true, true],
    [[1, 2], "2", false, false],
    [["ab"], "a", false, false],
    [[null], null, true, true],
    [[null], undefined, false, false],
    [[{ name: "Ann", tags: ["X"] }], { tags: ["x"], name: "ann" }, true, false],
    [[{ Name: "Ann" }], { name: "Ann" }, false, false],
    [[["a"]], ["a"], true, true],
    [[], "a", false, false],
  ];

  it.each(items)("%j holds %j: %s, in the same case %s", (list, right, isFound, isSameCase) => {
    expect(isListed(list, operands(list, right))).toBe(isFound);
    expect(isListed(list, operands(list, right, true))).toBe(isSameCase);
  });

  it("one long text against many short ones is no more work than reading them", () => {
    const list = Array.from({ length: 100_000 }, (_, index) => `item ${index}`);
    const look = () => expect(isListed(list, operands(list, "X".repeat(200_000)))).toBe(false);
    expect(leastCpuMs(look, 1)).toBeLessThan(1000);
  });
});

it.each([
  [true, true, false],
  ["true", true, false],
  [false, false, true],
  ["false", false, true],
])("%j is true: %s, false: %s", (left, isTrue, isFalse) => {
  expect(testBoolean(operands(left), true)).toEqual({ matched: isTrue });
  expect(testBoolean(operands(left), false)).toEqual({ matched: isFalse });
});

it.each([[1], [0], ["True"], ["yes"], [""], [null], [undefined], [[]]])("%j is neither true nor false", (left) => {
  const verdict = { matched: false, reason: "left is no boolean" };
  expect([testBoolean(operands(left), true), testBoolean(operands(left), false)]).toEqual([verdict, verdict]);
});

it.each([
  [undefined, false],
  [null, false],
  ["", false],
  [" ", true],
  [0, true],
  [false, true],
  [[], true],
  [{}, true],
])("%j exists: %s", (value, expected) => {
  expect(exists(value)).toBe(expected);
});
