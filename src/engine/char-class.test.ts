import { expect, it } from "vitest";
import { charClass, isIn } from "./char-class.ts";

it("holds the ASCII characters of its pattern, and nothing beyond ASCII or the text", () => {
  const word = charClass(/[\w+]/);
  const text = "aZ_9+-é😀";
  const found = Array.from({ length: text.length + 2 }, (_, index) => isIn(word, text, index - 1));
  expect(found).toEqual([false, true, true, true, true, true, false, false, false, false, false]);
});
