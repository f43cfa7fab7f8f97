import { describe, expect, it } from "vitest";
import { bindNode, checkNode, outputOf } from "../../test/support/run-node.ts";
import { noop } from "./noop.ts";

describe("noop", () => {
  it.each([[{ a: 1 }], [[1]], ["text"], [0], [null]])("hands on %j", async (upstream) => {
    expect(await outputOf(noop, {}, { upstream })).toEqual(upstream);
  });

  it("has one way in, one way out and nothing to configure", () => {
    expect(bindNode(noop, { label: "Meet here" })).toMatchObject({
      sources: ["default"],
      targets: ["default"],
      effects: "none",
    });
    expect(checkNode(noop, { items: [] })).toEqual(["warning /items: unknown"]);
  });
});
