import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Json } from "../src/contract/json.ts";
import { checkDefinition } from "../src/engine/check-definition.ts";
import { deriveInputSchema } from "../src/engine/derive-schemas.ts";
import { compileGraph } from "../src/engine/graph.ts";
import { compileInputSchema } from "../src/engine/input-schema.ts";
import { parseWorkflowFile } from "../src/engine/parse-workflow.ts";
import { nodes } from "../src/nodes/index.ts";
import { simulateRun } from "./support/simulate-run.ts";

const folder = new URL("../workflows/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml") && !name.endsWith(".test.yaml"));

function readWorkflow(file: string) {
  const text = readFileSync(new URL(file, folder), "utf8");
  const { definition, issues } = parseWorkflowFile(text, "yaml");
  if (!definition) throw new Error(JSON.stringify(issues));
  return { text, definition, issues: [...issues, ...checkDefinition(definition, nodes)] };
}

it.each(files)("%s is published without a word of warning, and editors find its schema", (file) => {
  const { text, issues } = readWorkflow(file);
  expect(issues).toEqual([]);
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/schema\/workflow\.schema\.json\n/);
});

const orders = [
  { id: "A-1", customer: "Ada", status: "paid", total: 40 },
  { id: "A-2", customer: "Bob", status: "open", total: 15 },
  { id: "A-3", customer: "Ada", status: "Paid", total: 2.5 },
  { id: "A-4", status: "paid", total: 10 },
];
const runs: [file: string, input: { [key: string]: Json }, output: object][] = [
  ["hello.yaml", { name: "Ada" }, { greeting: "Hello, Ada!" }],
  [
    "refund-check.yaml",
    { order_id: "A-17", amount: 250 },
    { order_id: "A-17", decision: "held", reason: "250 EUR is over the limit of 100" },
  ],
  ["refund-check.yaml", { order_id: "A-18", amount: 100 }, { order_id: "A-18", decision: "approved" }],
  ["refund-check.yaml", { order_id: "A-19", amount: 250, limit: 300 }, { order_id: "A-19", decision: "approved" }],
  [
    "summarize-orders.yaml",
    { orders },
    {
      paid: 3,
      revenue: 52.5,
      customers: { Ada: { orders: 2, revenue: 42.5 }, _null: { orders: 1, revenue: 10 } },
      report: "A-1: 40 EUR\nA-3: 2.5 EUR\nA-4: 10 EUR",
    },
  ],
  ["summarize-orders.yaml", { orders: [] }, { paid: 0, revenue: 0, customers: {}, report: "" }],
];

it.each(runs)("%s with %j returns %j", (file, input, output) => {
  const { definition } = readWorkflow(file);
  const checked = compileInputSchema(deriveInputSchema(definition))(input);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  const { end } = simulateRun(compileGraph(definition, nodes), checked.input, () => 0);
  expect(end).toEqual({ status: "succeeded", output });
});

it("every example is run by a test", () => {
  expect(files.filter((file) => !runs.some(([run]) => run === file))).toEqual([]);
});
