import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createTools } from "../../src/daemon/mcp/tool.ts";
import { toolOperations } from "../../src/daemon/operations/index.ts";

const page = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8");

/** A tool's row: its name, its scope and its arguments, those that are required with a star. */
const rows = createTools(toolOperations).map(({ scope, definition: { name, inputSchema } }) => {
  const { properties = {}, required = [] } = inputSchema as { properties?: object; required?: string[] };
  const args = Object.keys(properties).map((key) => `${key}${required.includes(key) ? "*" : ""}`);
  return `| \`${name}\` | ${scope} | ${args.join(", ")} |`;
});

it("docs/agents.md has every tool with its scope and its arguments, and no other", () => {
  const told = page.split("\n").filter((line) => /^\| `[a-z_]+` \| [a-z]+:[a-z]+ \|/.test(line));
  expect(told.map((line) => `${line.split(" |").slice(0, 3).join(" |")} |`).toSorted()).toEqual(rows.toSorted());
});
