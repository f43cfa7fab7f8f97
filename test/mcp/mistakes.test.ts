import { expect, it } from "vitest";
import type { SavedWorkflow } from "../../src/contract/workflow-api.ts";
import { callTool, request } from "../support/mcp.ts";
import { sampleManifest } from "../support/manifests.ts";
import { testRuntime } from "../support/runtime.ts";
import { type Data, done, edge, input, node } from "../support/workflow-tools.ts";

const order = { name: "order_id", type: "string", required: true };
const items = { name: "items", type: "array", required: true };

function flow(steps: Data[], edges: Data[], value = "{{action_input.order_id}}"): Data {
  return { nodes: [input(order, items), ...steps, done(value)], edges };
}
function line(step: Data, value?: string): Data {
  return flow([step], [edge("action_input", String(step["id"])), edge(String(step["id"]), "done")], value);
}
const condition = (operator: string, field: unknown = "{{action_input.order_id}}", value: unknown = "x") =>
  node("check", "condition", { combinator: "AND", conditions: [{ id: "c1", field, operator, value }] });
const branches = [
  edge("action_input", "check"),
  edge("check", "yes", "true"),
  edge("check", "no", "false"),
  edge("yes", "done"),
  edge("no", "done"),
];
const set = (id: string, value: unknown = "v") => node(id, "set", { assignments: [{ id: "a", key: "k", value }] });

const list: [string, Data][] = [
  ["wrong operator", flow([condition("equals"), set("yes"), set("no")], branches)],
  ["operator gt", flow([condition("GREATER_THAN"), set("yes"), set("no")], branches)],
  [
    "missing handle",
    flow(
      [condition("STRING_EQUALS"), set("yes"), set("no")],
      [
        edge("action_input", "check"),
        edge("check", "yes"),
        edge("check", "no"),
        edge("yes", "done"),
        edge("no", "done"),
      ],
    ),
  ],
  [
    "no sourceHandle",
    flow(
      [condition("STRING_EQUALS"), set("yes"), set("no")],
      [
        edge("action_input", "check"),
        { source: "check", target: "yes" },
        { source: "check", target: "no" },
        edge("yes", "done"),
        edge("no", "done"),
      ],
    ),
  ],
  ["http", line(node("call", "http", { url: "https://x.example" }))],
  ["if", line(node("call", "if", {}))],
  ["unknown template key", line(set("s", "{{action_input.orderid}}"))],
  ["unbraced", line(set("s", "{action_input.order_id}"))],
  ["dollar", line(set("s", "${action_input.order_id}"))],
  ["n8n expr", line(set("s", "{{ $json.order_id }}"))],
  ["input.", line(set("s", "{{input.order_id}}"))],
  ["steps.x.output", line(set("s", "a"), "{{steps.s.output.k}}")],
  ["forward ref", line(set("s", "{{done.text}}"))],
  ["connector unknown", line(node("c", "connector", { connector: "desc", operation: "get", input: {} }))],
  ["connector op", line(node("c", "connector", { connector: "http", operation: "post", input: {} }))],
  ["connector input", line(node("c", "connector", { connector: "http", operation: "request", input: { uri: "x" } }))],
  ["array not object", line(node("s", "set", { assignments: { k: "v" } }))],
  ["data array", line({ id: "s", type: "set", data: [] })],
  ["config at top", line({ id: "s", type: "set", assignments: [{ id: "a", key: "k", value: "v" }] })],
  [
    "object properties",
    {
      nodes: [node("action_input", "action_input", { properties: { order_id: { type: "string" } } }), done("x")],
      edges: [edge("action_input", "done")],
    },
  ],
  ["type str", { nodes: [input({ name: "a", type: "str" }), done("x")], edges: [edge("action_input", "done")] }],
  ["edge from/to", { nodes: [input(order), done("x")], edges: [{ from: "action_input", to: "done" }] }],
  ["edge target typo", { nodes: [input(order), done("x")], edges: [edge("action_input", "don")] }],
  ["no edges", { nodes: [input(order), set("s"), done("x")], edges: [] }],
  ["cycle", flow([set("a"), set("b")], [edge("action_input", "a"), edge("a", "b"), edge("b", "a"), edge("b", "done")])],
  ["dup id", flow([set("a"), set("a")], [edge("action_input", "a"), edge("a", "done")])],
  ["no return", { nodes: [input(order), set("s")], edges: [edge("action_input", "s")] }],
  ["hyphen id", line(set("my step"))],
  ["loop", line(node("l", "loop", { items: "{{action_input.items}}" }))],
  ["wait string", line(node("w", "wait", { seconds: "5s" }))],
  ["wait", line(node("w", "wait", { duration: 5 }))],
  ["code js", line(node("c", "code", { script: "return 1" }))],
  ["llm", line(node("c", "llm", { model: "gpt-4", prompt: "x" }))],
  ["rag", line(node("c", "rag_retrieve", { query: "x" }))],
  ["approval misspelt", line(node("c", "noop", { require_approval: true }))],
  ["approval on node", line({ ...node("c", "noop"), requireApproval: true })],
  ["switch", line(node("s", "switch", { cases: ["a"] }))],
  ["filter", line(node("s", "filter", { conditions: [] }))],
  ["secret", line(set("s", "{{secret.NOPE}}"))],
  ["var", line(set("s", "{{vars.NOPE}}"))],
  ["condition loop var", line(set("s", "{{loop.item}}"))],
];

it("probe", async () => {
  const runtime = await testRuntime();
  await callTool(runtime, "validate_connector", { definition: sampleManifest() });
  for (const [name, definition] of list) {
    const { body } = await request(runtime, "tools/call", {
      name: "create_workflow",
      arguments: { name: "X", definition, validate_only: true },
    });
    const r = body.result as { structuredContent?: SavedWorkflow; content: [{ text: string }] };
    const s = r.structuredContent;
    console.log(
      `## ${name}: ${s ? s.valid : "ERR"}\n` +
        (s
          ? [...s.errors, ...s.warnings]
              .map((e) => `   ${e.severity} ${e.code} ${e.path} [${e.node_id}] ${e.message}`)
              .join("\n")
          : r.content[0].text),
    );
  }
  expect(1).toBe(1);
});
