import { expect, it } from "vitest";
import { getPrompt, listPrompts } from "./prompts.ts";

const runs = ["list_runs", "get_run_status", "get_run_events"];
const building = ["list_connectors", "get_connector_operations", "get_operation_schema", "create_workflow"];

it.each<[tools: string[], prompts: string[]]>([
  [[], []],
  [["get_run_status"], []],
  [runs, ["debug_run"]],
  [
    [...runs, "approve_run"],
    ["debug_run", "review_approvals"],
  ],
  [building, []],
  [[...building, "deploy_workflow"], ["build_workflow"]],
])("whoever has the tools %o has the prompts %o", (tools, prompts) => {
  expect(listPrompts(new Set(tools)).map(({ name }) => name)).toEqual(prompts);
});

it("a prompt's text steers to the tools that it needs, and to no other", () => {
  const tools = new Set([...runs, ...building, "approve_run", "deploy_workflow"]);
  const texts = { run_id: "71be90d4", goal: "Greet new customers" };
  for (const { name, arguments: args } of listPrompts(tools)) {
    const text = JSON.stringify(getPrompt(tools, name, texts));
    for (const argument of args) expect(text).toContain(texts[argument.name as keyof typeof texts]);
    const named = text.match(/\b(?:list|get|approve|create|deploy|run)_[a-z_]+/g) ?? [];
    expect(named.filter((word) => !tools.has(word) && word !== "run_id")).toEqual([]);
    // Without any one of them it is gone.
    for (const tool of new Set(named)) {
      const fewer = new Set([...tools].filter((other) => other !== tool));
      expect([tool, listPrompts(fewer).some((prompt) => prompt.name === name)]).toEqual([tool, !tools.has(tool)]);
    }
  }
});
