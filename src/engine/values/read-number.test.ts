import fc from "fast-check";
import { expect, it } from "vitest";
import { readNumber } from "./read-number.ts";

const numbers: [value: unknown, number: number][] = [
  [0, 0],
  [-1.5, -1.5],
  ["0", 0],
  ["007", 7],
  ["-12.50", -12.5],
  ["+3", 3],
  [".5", 0.5],
  ["1e3", 1000],
  ["1.5E-2", 0.015],
  [" 42\n", 42],
];

it.each(numbers)("%j is the number %d", (value, number) => {
  expect(readNumber(value)).toBe(number);
});

const texts = "|  |abc|1a|0x10|0b1|1_000|1,000|1,5|1 000|5.|.|-|e5|1e|--1|٣|NaN|Infinity|1e999".split("|");
const others = [...texts, null, undefined, true, [], [1], {}, Number.NaN, Number.POSITIVE_INFINITY, 1n];

it.each(others)("%o is no number", (value) => {
  expect(readNumber(value)).toBeUndefined();
});

it("every finite number written as JSON is read back", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(readNumber(JSON.stringify(number))).toBe(number === 0 ? 0 : number);
    }),
  );
});
