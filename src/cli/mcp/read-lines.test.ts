import { expect, it } from "vitest";
import { readLines } from "./read-lines.ts";

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const lines: string[] = [];
  async function* input() {
    yield* chunks;
  }
  for await (const line of readLines(input())) lines.push(line);
  return lines;
}

it("lines end at a line feed, wherever the chunks do", async () => {
  expect(await linesOf("a", "b\nc", "\n", "\nd")).toEqual(["ab", "c", "", "d"]);
  expect(await linesOf("a\n")).toEqual(["a"]);
  expect(await linesOf()).toEqual([]);
});

it("characters of several bytes may lie across chunks", async () => {
  const bytes = Buffer.from("привет\n✓");
  expect(await linesOf(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(["привет", "✓"]);
});

it("other separators of lines belong to the text, as JSON has them", async () => {
  expect(await linesOf('"a\u2028b\u2029c\rd"\n')).toEqual(['"a\u2028b\u2029c\rd"']);
});
