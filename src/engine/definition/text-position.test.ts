import { expect, it } from "vitest";
import { positionsOf } from "./text-position.ts";

it.each([
  ["", 0, 1, 1],
  ["abc", 2, 1, 3],
  ["a\nbc\n", 1, 1, 2],
  ["a\nbc\n", 2, 2, 1],
  ["a\nbc\n", 5, 3, 1],
  ["a\r\nb", 3, 2, 1],
  ["\n\n\nx", 3, 4, 1],
])("finds the place in %j at offset %i", (text, offset, line, column) => {
  expect(positionsOf(text)(offset)).toEqual({ line, column });
});
