import { describe, expect, it } from "vitest";
import type { WorkflowEdge, WorkflowNode } from "../../contract/workflow.ts";
import { drawMermaid } from "./mermaid.ts";

const node = (id: string, type = "noop", more: Partial<WorkflowNode> = {}): WorkflowNode => ({
  id,
  type,
  data: {},
  ...more,
});
const edge = (source: string, target: string, sourceHandle = "default", targetHandle = "default"): WorkflowEdge => ({
  id: `${source}-${target}`,
  source,
  target,
  sourceHandle,
  targetHandle,
});

describe("a graph as Mermaid", () => {
  it("has nodes by id, type and name, and handles on its edges", () => {
    const nodes = [
      node("action_input", "action_input"),
      node("check", "condition", { name: "Large?" }),
      node("pay", "set", { label: "Pay", data: { requireApproval: true } }),
      node("both", "merge"),
      node("done", "return_output"),
    ];
    const edges = [
      edge("action_input", "check"),
      edge("check", "pay", "true"),
      edge("pay", "both", "default", "input_0"),
      edge("check", "both", "false", "input_1"),
      edge("both", "done"),
    ];
    expect(drawMermaid({ nodes, edges })).toBe(`flowchart TD
  n0(["action_input"])
  n1{"Large#63;<br/>check (condition)"}
  n2["Pay<br/>pay (set)<br/>needs approval"]
  n3["both (merge)"]
  n4(["done (return_output)"])
  n0 --> n1
  n1 -->|"true"| n2
  n2 -->|"→ input_0"| n3
  n1 -->|"false → input_1"| n3
  n3 --> n4
`);
  });

  it("draws the body of each loop as a subgraph, one within the other", () => {
    const nodes = [node("outer", "loop"), node("inner", "loop"), node("work"), node("after")];
    const edges = [edge("outer", "inner", "loop"), edge("inner", "work", "loop"), edge("outer", "after", "done")];
    expect(drawMermaid({ nodes, edges }).split("\n").slice(1, -4)).toEqual([
      '  n0["outer (loop)"]',
      '  subgraph body_n0["each item of outer"]',
      '    n1["inner (loop)"]',
      '    subgraph body_n1["each item of inner"]',
      '      n2["work (noop)"]',
      "    end",
      "  end",
      '  n3["after (noop)"]',
    ]);
  });

  it.each([
    ['"] --> evil', "#34;#93; --#62; evil"],
    ["<script>alert(1)</script>", "#60;script#62;alert(1)#60;#47;script#62;"],
    ["a\nclick n0 call x()", "a#10;click n0 call x()"],
    ["`**md**` & #35;", "#96;#42;#42;md#42;#42;#96; #38; #35;35#59;"],
    ["Größe 量", "Größe 量"],
  ])("escapes %j in labels and handles", (text, escaped) => {
    const drawn = drawMermaid({ nodes: [node("end", "noop", { name: text })], edges: [edge("end", "end", text)] });
    expect(drawn).toBe(`flowchart TD\n  n0["${escaped}<br/>end (noop)"]\n  n0 -->|"${escaped}"| n0\n`);
  });

  it("of a broken graph shows what there is", () => {
    const nodes = [node("a"), node("a", "set"), node("b")];
    const drawn = drawMermaid({ nodes, edges: [edge("a", "gone"), edge("b", "a"), edge("a", "b")] });
    expect(drawn).toBe('flowchart TD\n  n0["a (noop)"]\n  n1["b (noop)"]\n  n1 --> n0\n  n0 --> n1\n');
    expect(drawMermaid({ nodes: [], edges: [] })).toBe("flowchart TD\n");
  });
});
