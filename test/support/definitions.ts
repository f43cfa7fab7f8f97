import * as z from "zod";
import type { Issue, WorkflowDefinition } from "../../src/contract/workflow.ts";
import { checkDefinition } from "../../src/engine/checks/check-definition.ts";
import { type NodeType, defineNode, done } from "../../src/engine/node.ts";
import { parseWorkflowFile } from "../../src/engine/definition/parse-workflow.ts";

const properties = z.array(z.looseObject({ name: z.string(), type: z.string() })).default([]);
const double = { title: "Test double", summary: "Test double." } as const;
const run = () => done(null);

/** Just enough node types to break every rule of the publish checks; the real ones have tests of their own. */
export const testCatalogue: readonly NodeType[] = [
  defineNode({
    ...double,
    type: "action_input",
    group: "Placeholder",
    config: z.strictObject({ properties }),
    targets: () => [],
  }),
  defineNode({
    ...double,
    type: "trigger",
    group: "Placeholder",
    config: z.looseObject({ kind: z.string() }),
    templates: ["/secret"],
    targets: () => [],
  }),
  defineNode({
    ...double,
    run,
    type: "return_output",
    group: "Placeholder",
    config: z.strictObject({ properties }),
    templates: ["/properties/*/value"],
    sources: () => [],
  }),
  defineNode({ ...double, run, type: "noop", group: "Utilities", config: z.strictObject({}) }),
  defineNode({
    ...double,
    run,
    type: "set",
    group: "Data",
    config: z.strictObject({ value: z.unknown().optional(), limit: z.int().max(9).optional() }),
    templates: ["/value/**"],
    check: ({ limit }) =>
      limit === 0
        ? [{ severity: "warning", code: "limit_zero", message: "limit 0 keeps nothing", pointer: "/limit" }]
        : [],
  }),
  defineNode({
    ...double,
    run,
    type: "condition",
    group: "Flow",
    config: z.strictObject({ field: z.string() }),
    templates: ["/field"],
    sources: () => ["true", "false"],
  }),
  defineNode({
    ...double,
    run,
    type: "loop",
    group: "Flow",
    config: z.strictObject({
      items: z.string().default("{{action_input.list}}"),
      itemVariable: z.string().default("item"),
    }),
    templates: ["/items"],
    sources: () => ["loop", "done"],
    ignores: ["maxRetries"],
  }),
  defineNode({
    ...double,
    run,
    type: "merge",
    group: "Flow",
    config: z.strictObject({ inputs: z.int().min(2).max(8).default(2) }),
    targets: ({ inputs }) => Array.from({ length: inputs }, (_, index) => `input_${index}`),
  }),
  defineNode({
    ...double,
    run,
    type: "filter",
    group: "Data",
    config: z.strictObject({ items: z.string(), conditions: z.array(z.strictObject({ field: z.string() })) }),
    templates: ["/items"],
    lateTemplates: { pointers: ["/conditions/*/field"], roots: ["item", "index"] },
  }),
  defineNode({ ...double, run, type: "wait", group: "Flow", config: z.strictObject({}) }),
  defineNode({
    ...double,
    run,
    type: "switch",
    group: "Flow",
    config: z.discriminatedUnion("mode", [
      z.strictObject({ mode: z.literal("value"), matchField: z.string() }),
      z.strictObject({ mode: z.literal("expression") }),
    ]),
  }),
  defineNode({ ...double, run, type: "respond_to_webhook", group: "Utilities", config: z.strictObject({}) }),
];

export const actionInput =
  "{id: action_input, type: action_input, data: {properties: [{name: amount, type: number}, {name: list, type: array}]}}";
export const returnOutput = "{id: done, type: return_output}";

/** A workflow of nodes in YAML's flow form and edges in the short form, the edges parted by `;`. */
export function workflow(nodes: readonly string[], edges: string): WorkflowDefinition {
  const list = (lines: readonly string[]) => lines.map((line) => `\n  - ${line}`).join("") || " []";
  const lines = edges.split(";").map((edge) => edge.trim());
  const text = `name: Test\nnodes:${list(nodes)}\nedges:${list(lines.filter(Boolean))}\n`;
  const { definition, issues } = parseWorkflowFile(text, "yaml");
  if (!definition) throw new Error(JSON.stringify(issues));
  return definition;
}

/** A callable workflow: node 0 is the input, the last one the output, the given ones stand between. */
export function callable(nodes: readonly string[], edges: string): WorkflowDefinition {
  return workflow([actionInput, ...nodes, returnOutput], edges);
}

/** A callable workflow with one node between input and output; its id is `a` and its pointer `/nodes/1`. */
export function single(type: string, data = "{}"): WorkflowDefinition {
  return callable([`{id: a, type: ${type}, data: ${data}}`], "action_input -> a; a -> done");
}

export function check(definition: WorkflowDefinition): Issue[] {
  return checkDefinition(definition, testCatalogue);
}

/** Issues of one severity as `code pointer owner`, and their messages. */
export function summarize(definition: WorkflowDefinition, severity: Issue["severity"]) {
  const issues = check(definition).filter((issue) => issue.severity === severity);
  return {
    places: issues.map(({ code, path, node_id, edge_id }) =>
      [code, path, node_id ?? edge_id].filter(Boolean).join(" "),
    ),
    message: issues.map(({ message }) => message).join("\n"),
  };
}
