import { describe, expect, it } from "vitest";
import { nameEdges, readShortEdge } from "./short-edge.ts";

describe("readShortEdge", () => {
  it.each([
    ["a -> b", "a", "default", "b", "default"],
    ["check.true -> done", "check", "true", "done", "default"],
    ["a.branch_x -> both.input_0", "a", "branch_x", "both", "input_0"],
    ["a->b", "a", "default", "b", "default"],
    ["  my-node_1.out  ->  other-node.in ", "my-node_1", "out", "other-node", "in"],
    ["a-->b", "a-", "default", "b", "default"],
    ["route.branch_v1.2 -> b", "route", "branch_v1.2", "b", "default"],
  ])("reads %s", (text, source, sourceHandle, target, targetHandle) => {
    expect(readShortEdge(text)).toEqual({ source, sourceHandle, target, targetHandle });
  });

  it.each(["", "a", "a b", "a -> ", "-> b", "a -> b -> c", "a. -> b", ".x -> b", "a b -> c", "a > b"])(
    "reads no edge in %j",
    (text) => {
      expect(readShortEdge(text)).toBeNull();
    },
  );
});

describe("nameEdges", () => {
  it("gives free ids in order and leaves the rest as it is", () => {
    const named = nameEdges([{ source: "a" }, { id: "e2", source: "b" }, { source: "c" }, "text", { id: "x" }]);
    expect(named).toEqual([
      { id: "e1", source: "a" },
      { id: "e2", source: "b" },
      { id: "e3", source: "c" },
      "text",
      { id: "x" },
    ]);
  });
});
