import { describe, expect, it } from "vitest";
import { analyzeTopology } from "./topology.ts";

/** `a b` are plain nodes, `l:loop` has a type; edges are `a>b` and `l.loop>b`. */
function analyze(nodes: string, edges = "") {
  const words = (text: string) => text.split(" ").filter(Boolean);
  return analyzeTopology(
    words(nodes).map((word) => ({ id: word.split(":")[0] ?? "", type: word.split(":")[1] ?? "noop" })),
    words(edges).map((word, index) => {
      const [from = "", target = ""] = word.split(">");
      const [source = "", sourceHandle = "default"] = from.split(".");
      return { id: `e${index}`, source, target, sourceHandle, targetHandle: "default" };
    }),
  );
}

describe("analyzeTopology", () => {
  it.each([
    ["a b c", "a>b b>c", ["a", "b", "c"]],
    ["c b a", "a>b b>c", ["a", "b", "c"]],
    ["start z y x end", "start>x start>y start>z x>end y>end z>end", ["start", "z", "y", "x", "end"]],
    ["a late b early", "a>early b>late", ["a", "b", "late", "early"]],
    ["a b", "", ["a", "b"]],
    ["", "", []],
  ])("orders %s with %s topologically, ties as defined", (nodes, edges, order) => {
    expect(analyze(nodes, edges).order).toEqual(order);
  });

  it.each([
    ["a b c", "a>b b>c c>b", [["b", "c"]], ["a"]],
    ["a b", "a>b b>b", [["b"]], ["a"]],
    [
      "a b c d",
      "a>b b>a c>d d>c b>c",
      [
        ["a", "b"],
        ["c", "d"],
      ],
      [],
    ],
    ["a b c d e", "a>b b>c c>d d>a b>a d>e", [["a", "b"]], ["e"]],
  ])("finds the cycles of %s with %s and orders the rest", (nodes, edges, cycles, order) => {
    const topology = analyze(nodes, edges);
    expect(topology.cycles).toEqual(cycles);
    expect(topology.order).toEqual(order);
  });

  it("names every node upstream, and nothing beside or below", () => {
    const topology = analyze("a b c d e", "a>b b>d c>d d>e");
    expect([...topology.ancestors("d")].toSorted()).toEqual(["a", "b", "c"]);
    expect(topology.ancestors("a").size).toBe(0);
    expect(topology.ancestors("nobody").size).toBe(0);
  });

  it("ignores edges to nodes that do not exist and lets the first of two equal ids stand", () => {
    const topology = analyze("a b:loop b c", "a>b b.loop>c c>ghost ghost>a");
    expect(topology.order).toEqual(["a", "b", "c"]);
    expect(topology.loopOf("c")).toBe("b");
  });

  it("gives each node its innermost loop, and a loop's body with everything nested in it", () => {
    const topology = analyze(
      "in outer:loop x inner:loop y z after",
      "in>outer outer.loop>x x>inner inner.loop>y inner.done>z outer.done>after",
    );
    expect([...topology.bodyOf("outer")].toSorted()).toEqual(["inner", "x", "y", "z"]);
    expect([...topology.bodyOf("inner")]).toEqual(["y"]);
    expect(["in", "outer", "x", "inner", "y", "z", "after"].map((id) => topology.loopOf(id))).toEqual([
      null,
      null,
      "outer",
      "outer",
      "inner",
      "outer",
      null,
    ]);
    expect(["outer", "inner", "y", "after", "nobody"].map((id) => topology.depthOf(id))).toEqual([0, 1, 2, 0, 0]);
    expect(topology.bodyOf("x").size).toBe(0);
  });

  it("keeps a loop out of its own body when the body leads back to it", () => {
    const topology = analyze("l:loop a after", "l.loop>a a>l l.done>after");
    expect([...topology.bodyOf("l")]).toEqual(["a"]);
    expect(topology.cycles).toEqual([["l", "a"]]);
  });

  it("survives a chain of 20,000 nodes that closes on itself", () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `n${index}`);
    const edges = ids.map((id, index) => `${id}>${ids[(index + 1) % ids.length]}`);
    const topology = analyze(ids.join(" "), edges.join(" "));
    expect(topology.cycles[0]).toHaveLength(20_000);
    expect(topology.ancestors("n5").size).toBe(20_000);
  });
});
