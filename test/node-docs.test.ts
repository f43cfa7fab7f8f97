import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nodeExamples } from "../scripts/node-examples.ts";
import { renderNodeDocs } from "../scripts/render-node-docs.ts";
import { nodes } from "../src/nodes/index.ts";
import { checkNode } from "./support/run-node.ts";

it("docs/nodes.md is what scripts/write-node-docs.ts writes", () => {
  const committed = readFileSync(new URL("../docs/nodes.md", import.meta.url), "utf8");
  expect(committed).toBe(renderNodeDocs(nodes));
});

it.each(nodes.map((type) => [type.type, type] as const))(
  "the example of %s is one that publishing accepts",
  (name, type) => {
    expect(Object.keys(nodeExamples)).toContain(name);
    expect(checkNode(type, nodeExamples[name] ?? {})).toEqual([]);
  },
);

it("every field of every node says what it is for", () => {
  const rows = renderNodeDocs(nodes)
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  expect(rows.filter((row) => row.endsWith("|  |"))).toEqual([]);
});
