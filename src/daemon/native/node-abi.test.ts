import { expect, it } from "vitest";
import { findNodeMistake } from "./node-abi.ts";

it("the Node that runs the tests is the right one", () => {
  expect(findNodeMistake()).toBeNull();
});

it("another Node is named, with the way to start the right one", () => {
  const mistake = findNodeMistake({ node: "20.20.2", modules: "115" });
  expect(mistake).toMatch(/needs Node 26 \(ABI 147\).* Node 20\.20\.2 \(ABI 115\).*\.\/bin\/stepgate/);
});
