import { expect, it } from "vitest";
import { alignTable, cutToWidth } from "./align-table.ts";
import { makePaint } from "./colour.ts";

const plain = { width: 40, paint: makePaint(false), isUnicode: true };

it("columns are as wide as their widest cell on the screen, whatever its characters count", () => {
  const rows = [
    [{ raw: "東京" }, { raw: "x" }],
    [{ raw: "Ada" }, { raw: "" }, { raw: "z" }],
  ];
  expect(alignTable(rows, plain)).toEqual(["東京  x", "Ada   -  z"]);
});

it("what people read stands in for what programs read, without what steers a terminal", () => {
  expect(alignTable([[{ raw: "raw", text: "\x1b[31mte\rxt" }]], plain)).toEqual(["te\\rxt"]);
});

it("colour takes no room", () => {
  const rows = [
    [{ raw: "a", style: "red" as const }, { raw: "b" }],
    [{ raw: "long" }, { raw: "c" }],
  ];
  expect(alignTable(rows, { ...plain, paint: makePaint(true) })).toEqual(["\x1b[31ma\x1b[39m     b", "long  c"]);
});

it("the last column is cut to what the terminal has room for", () => {
  const row = [{ raw: "x".repeat(20) }, { raw: "0123456789".repeat(5) }];
  expect(alignTable([row], plain)).toEqual([`${"x".repeat(20)}  01234567890123456…`]);
  expect(alignTable([row], { ...plain, width: Number.POSITIVE_INFINITY })[0]).toHaveLength(72);
});

it("a cut never splits a wide character", () => {
  expect(cutToWidth("東京都", 4, "…")).toBe("東…");
  expect(cutToWidth("東京", 4, "…")).toBe("東京");
});
