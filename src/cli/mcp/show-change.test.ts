import { expect, it } from "vitest";
import { showChange } from "./show-change.ts";

it.each([
  ["", "a\n", ["+ a"]],
  ["a\nb\nc\n", "a\nB\nc\n", ["- b", "+ B"]],
  ["a\nc\n", "a\nb\nb\nc\n", ["+ b", "+ b"]],
  ["a\na\n", "a\n", ["- a"]],
  ["a\n", "a\n", []],
])("from %o to %o", (before, after, lines) => {
  expect(showChange(before, after)).toEqual(lines);
});
