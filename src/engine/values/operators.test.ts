import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leastCpuMs } from "../../../test/support/cpu-time.ts";
import { acceptedOperators, evaluateCondition, evaluateConditions, operatorNames, type Operator } from "./operators.ts";

const yes = true;
const no = false;

/** Operator, left, right, whether they match. */
const table: [operator: Operator, left: unknown, right: unknown, matched: boolean][] = [
  ["TEXT_CONTAINS", "Hello World", "WORLD", yes],
  ["TEXT_CONTAINS", "Hello", "x", no],
  ["TEXT_CONTAINS", "Hello", null, yes],
  ["TEXT_CONTAINS", null, "x", no],
  ["TEXT_CONTAINS", ["Red"], '"red"', yes],
  ["TEXT_DOES_NOT_CONTAIN", "Hello", "x", yes],
  ["TEXT_DOES_NOT_CONTAIN", "Hello", "ELL", no],
  ["TEXT_EXACTLY_MATCHES", "Yes", "yes", yes],
  ["TEXT_EXACTLY_MATCHES", "yes ", "yes", no],
  ["TEXT_EXACTLY_MATCHES", undefined, "", yes],
  ["TEXT_EXACTLY_MATCHES", 5, "5", yes],
  ["TEXT_DOES_NOT_EXACTLY_MATCH", "a", "b", yes],
  ["TEXT_DOES_NOT_EXACTLY_MATCH", "a", "A", no],
  ["TEXT_STARTS_WITH", "Order 1", "order", yes],
  ["TEXT_STARTS_WITH", "An order", "order", no],
  ["TEXT_START_WITH", "Order 1", "order", yes],
  ["TEXT_DOES_NOT_START_WITH", "An order", "order", yes],
  ["TEXT_DOES_NOT_START_WITH", "Order", "order", no],
  ["TEXT_ENDS_WITH", "file.PDF", ".pdf", yes],
  ["TEXT_ENDS_WITH", "file.pdf.exe", ".pdf", no],
  ["TEXT_DOES_NOT_END_WITH", "file.exe", ".pdf", yes],
  ["TEXT_DOES_NOT_END_WITH", "file.PDF", ".pdf", no],
  ["NUMBER_IS_GREATER_THAN", "10", 9, yes],
  ["NUMBER_IS_GREATER_THAN", 9, 9, no],
  ["NUMBER_IS_LESS_THAN", -1, "0", yes],
  ["NUMBER_IS_LESS_THAN", 0, 0, no],
  ["NUMBER_IS_EQUAL_TO", "1.0", 1, yes],
  ["NUMBER_IS_EQUAL_TO", null, null, no],
  ["NUMBER_IS_EQUAL_TO", "", 0, no],
  ["NUMBER_IS_EQUAL_TO", true, 1, no],
  ["NUMBER_IS_NOT_EQUAL_TO", 1, 2, yes],
  ["NUMBER_IS_NOT_EQUAL_TO", "one", 2, no],
  ["NUMBER_IS_GREATER_THAN_OR_EQUAL_TO", 2, 2, yes],
  ["NUMBER_IS_GREATER_THAN_OR_EQUAL_TO", 1, 2, no],
  ["NUMBER_IS_GREATER_THAN_OR_EQUAL", 2, 2, yes],
  ["NUMBER_IS_LESS_THAN_OR_EQUAL_TO", 2, 2, yes],
  ["NUMBER_IS_LESS_THAN_OR_EQUAL_TO", 3, 2, no],
  ["NUMBER_IS_LESS_THAN_OR_EQUAL", 2, 2, yes],
  ["BOOLEAN_IS_TRUE", true, undefined, yes],
  ["BOOLEAN_IS_TRUE", "true", undefined, yes],
  ["BOOLEAN_IS_TRUE", 1, undefined, no],
  ["BOOLEAN_IS_TRUE", "True", undefined, no],
  ["BOOLEAN_IS_FALSE", false, undefined, yes],
  ["BOOLEAN_IS_FALSE", "false", undefined, yes],
  ["BOOLEAN_IS_FALSE", null, undefined, no],
  ["EXISTS", 0, undefined, yes],
  ["EXISTS", "", undefined, no],
  ["EXISTS", undefined, undefined, no],
  ["DOES_NOT_EXIST", null, undefined, yes],
  ["DOES_NOT_EXIST", [], undefined, no],
  ["LIST_CONTAINS", ["Red", "Blue"], "red", yes],
  ["LIST_CONTAINS", '["Red"]', "red", yes],
  ["LIST_CONTAINS", "Red", "Red", no],
  ["LIST_CONTAINS", [{ a: [1] }], { a: [1] }, yes],
  ["LIST_DOES_NOT_CONTAIN", ["Red"], "green", yes],
  ["LIST_DOES_NOT_CONTAIN", ["Red"], "RED", no],
  ["LIST_DOES_NOT_CONTAIN", null, "x", no],
  ["LIST_IS_EMPTY", [], undefined, yes],
  ["LIST_IS_EMPTY", "[]", undefined, yes],
  ["LIST_IS_EMPTY", null, undefined, no],
  ["LIST_IS_NOT_EMPTY", [0], undefined, yes],
  ["LIST_IS_NOT_EMPTY", [], undefined, no],
  ["LIST_IS_NOT_EMPTY", "text", undefined, no],
  ["DATE_IS_AFTER", "2024-01-02", "2024-01-01T23:59:59Z", yes],
  ["DATE_IS_AFTER", "2024-01-01T00:00:00+03:00", "2024-01-01", no],
  ["DATE_IS_AFTER", 1_706_696_430_001, "2024-01-31T10:20:30Z", yes],
  ["DATE_IS_AFTER", "soon", "2024-01-01", no],
  ["DATE_IS_BEFORE", "2024-01-01", "2024-01-02", yes],
  ["DATE_IS_BEFORE", "2024-01-02", "2024-01-02", no],
  ["DATE_IS_EQUAL", "2024-01-01T03:00+03:00", "2024-01-01", yes],
  ["DATE_IS_EQUAL", "2024-01-01", "2024-01-02", no],
];

it.each(table)("%s: %j against %j is %s", (operator, left, right, matched) => {
  expect(evaluateCondition({ operator, left, right, caseSensitive: false })).toMatchObject({ matched });
});

it("there are 23 operators in six groups, five more are understood, and the table above has them all", () => {
  const group = (prefix: RegExp) => operatorNames.filter((name) => prefix.test(name)).length;
  const groups = [/^TEXT/, /^NUMBER/, /^BOOLEAN/, /EXIST/, /^LIST/, /^DATE/].map(group);
  expect(groups).toEqual([8, 6, 2, 2, 4, 1]);
  expect(new Set(operatorNames).size).toBe(23);
  expect(acceptedOperators.slice(0, 23)).toEqual(operatorNames);
  expect(acceptedOperators).toHaveLength(28);
  expect(new Set(table.map(([operator]) => operator))).toEqual(new Set(acceptedOperators));
});

it.each([
  ["TEXT_CONTAINS", "Hello", "ELL"],
  ["TEXT_EXACTLY_MATCHES", "a", "A"],
  ["TEXT_STARTS_WITH", "Abc", "a"],
  ["TEXT_ENDS_WITH", "abC", "c"],
  ["LIST_CONTAINS", ["A"], "a"],
])("%s minds case when it is told to", (operator, left, right) => {
  expect(evaluateCondition({ operator, left, right, caseSensitive: false })).toEqual({ matched: true });
  expect(evaluateCondition({ operator, left, right, caseSensitive: true })).toEqual({ matched: false });
});

it.each(["", "REGEX_MATCHES", "toString", "__proto__"])(
  "an unknown operator does not match and says so: %j",
  (operator) => {
    const reason = `${operator} is no operator`;
    expect(evaluateCondition({ operator, left: 1, right: 1, caseSensitive: false })).toEqual({
      matched: false,
      reason,
    });
  },
);

describe("whatever the operands", () => {
  const operand = fc.oneof(
    fc.anything(),
    fc.jsonValue(),
    fc.constantFrom<unknown>(
      Number.NaN,
      "0x1",
      "2024-02-30",
      "[",
      "[[",
      '{"a"',
      "\ud800",
      "İΣ",
      new Date(Number.NaN),
      1n,
    ),
  );
  const operator = fc.constantFrom(...acceptedOperators);

  it("no operator throws", () => {
    fc.assert(
      fc.property(operator, operand, operand, fc.boolean(), (name, left, right, caseSensitive) => {
        expect(typeof evaluateCondition({ operator: name, left, right, caseSensitive }).matched).toBe("boolean");
      }),
      { numRuns: 2000 },
    );
  });

  const opposites: [Operator, Operator][] = [
    ["TEXT_CONTAINS", "TEXT_DOES_NOT_CONTAIN"],
    ["TEXT_EXACTLY_MATCHES", "TEXT_DOES_NOT_EXACTLY_MATCH"],
    ["TEXT_STARTS_WITH", "TEXT_DOES_NOT_START_WITH"],
    ["TEXT_ENDS_WITH", "TEXT_DOES_NOT_END_WITH"],
    ["NUMBER_IS_EQUAL_TO", "NUMBER_IS_NOT_EQUAL_TO"],
    ["NUMBER_IS_GREATER_THAN", "NUMBER_IS_LESS_THAN_OR_EQUAL_TO"],
    ["NUMBER_IS_LESS_THAN", "NUMBER_IS_GREATER_THAN_OR_EQUAL_TO"],
    ["EXISTS", "DOES_NOT_EXIST"],
    ["LIST_CONTAINS", "LIST_DOES_NOT_CONTAIN"],
    ["LIST_IS_EMPTY", "LIST_IS_NOT_EMPTY"],
  ];

  it.each(opposites)("%s and %s: exactly one matches, or neither and for the same reason", (one, other) => {
    fc.assert(
      fc.property(operand, operand, fc.boolean(), (left, right, caseSensitive) => {
        const a = evaluateCondition({ operator: one, left, right, caseSensitive });
        const b = evaluateCondition({ operator: other, left, right, caseSensitive });
        expect(a.reason).toBe(b.reason);
        expect(a.matched !== b.matched).toBe(a.reason === undefined);
      }),
    );
  });

  const long: [name: string, operand: unknown][] = [
    ["a letter", "a".repeat(200_000)],
    ["digits", "1".repeat(200_000)],
    ["digits and a letter", `${"1".repeat(200_000)}x`],
    ["brackets", "[".repeat(200_000)],
    ["spaces", " ".repeat(200_000)],
    ["capital sigmas", "Σ".repeat(200_000)],
    ["nested lists", JSON.parse("[".repeat(100_000) + "]".repeat(100_000))],
  ];

  it.each(long)("200 kB of %s are compared by every operator within a second", (_, text) => {
    const compare = () => {
      for (const name of acceptedOperators)
        for (const right of [text, "x"]) evaluateCondition({ operator: name, left: text, right, caseSensitive: false });
    };
    expect(leastCpuMs(compare, 1)).toBeLessThan(1000);
  });
});

describe("evaluateConditions", () => {
  const paid = { id: "c1", operator: "BOOLEAN_IS_TRUE", left: true, right: undefined };
  const big = { id: "c2", operator: "NUMBER_IS_GREATER_THAN", left: "n/a", right: 100 };
  const details = [
    { id: "c1", operator: "BOOLEAN_IS_TRUE", matched: true, left: true, right: null },
    {
      id: "c2",
      operator: "NUMBER_IS_GREATER_THAN",
      matched: false,
      left: "n/a",
      right: 100,
      reason: "left is no number",
    },
  ];

  it("joins by AND or OR and details every condition in order, with null for what is missing", () => {
    expect(evaluateConditions("AND", [paid, big], false)).toStrictEqual({ matched: false, details });
    expect(evaluateConditions("OR", [paid, big], false)).toStrictEqual({ matched: true, details });
    expect(evaluateConditions("OR", [big, paid], false).details.map(({ id }) => id)).toEqual(["c2", "c1"]);
    expect(evaluateConditions("AND", [paid], false).matched).toBe(true);
    expect(evaluateConditions("OR", [big], false).matched).toBe(false);
  });
});
