import { expect, it } from "vitest";
import { nodeTypes } from "../contract/workflow.ts";
import { nodes } from "./index.ts";

it("the catalogue has each type once, in picker order", () => {
  const types = nodes.map(({ type }) => type);
  expect(types).toEqual(nodeTypes.filter((type) => types.includes(type)));
});

it("a type says what it is called, where it stands and what it does", () => {
  for (const { title, group, summary } of nodes) {
    expect(title).toMatch(/^[A-Z]/);
    expect(["Placeholder", "Flow", "Data", "Utilities", "Connector"]).toContain(group);
    expect(summary).toMatch(/^[A-Z].*\.$/);
  }
});
