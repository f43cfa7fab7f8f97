import { expect, it } from "vitest";
import type { SavedWorkflow } from "../../src/contract/workflow-api.ts";
import { callTool, postMcp } from "../support/mcp.ts";
import { testRuntime } from "../support/runtime.ts";
import { type Data, done, edge, input, node } from "../support/workflow-tools.ts";

const order = { name: "order_id", type: "string", required: true };
const flow = (steps: Data[], edges: Data[], value = "{{action_input.order_id}}") => ({
  nodes: [input(order), ...steps, done(value)],
  edges,
});

/** One step between input and output. */
const line = (step: Data, value?: string) =>
  flow([step], [edge("action_input", String(step["id"])), edge(String(step["id"]), "done")], value);

const set = (id: string, value: unknown = "v") => node(id, "set", { assignments: [{ id: "a", key: "k", value }] });
const call = (data: Data) => line(node("call", "connector", data));

function branch(operator: string, handles: [string?, string?] = ["true", "false"]): Data {
  const conditions = [{ id: "c1", field: "{{action_input.order_id}}", operator, value: "x" }];
  const [yes, no] = handles.map((sourceHandle) => sourceHandle && { sourceHandle });
  return flow(
    [node("check", "condition", { combinator: "AND", conditions }), set("yes"), set("no")],
    [
      edge("action_input", "check"),
      { source: "check", target: "yes", ...yes },
      { source: "check", target: "no", ...no },
      edge("yes", "done"),
      edge("no", "done"),
    ],
  );
}

const value = "/nodes/1/data/assignments/0/value";

/** What models get wrong: where they are told so, of which node, and the words that mend it. */
const mistakes: [mistake: string, definition: Data, path: string, owner: string | undefined, fix: RegExp][] = [
  [
    "an operator of another tool",
    branch("equals"),
    "/nodes/1/data/conditions/0/operator",
    "check",
    /TEXT_EXACTLY_MATCHES for texts/,
  ],
  [
    "an operator as code has it",
    branch(">"),
    "/nodes/1/data/conditions/0/operator",
    "check",
    /NUMBER_IS_GREATER_THAN$/,
  ],
  [
    "a misspelt operator",
    branch("TEXT_CONTAIN"),
    "/nodes/1/data/conditions/0/operator",
    "check",
    /did you mean TEXT_CONTAINS\?/,
  ],
  [
    "an edge without its handle",
    branch("TEXT_CONTAINS", []),
    "/edges/1/sourceHandle",
    undefined,
    /it has true, false$/,
  ],
  [
    "a handle that there is not",
    branch("TEXT_CONTAINS", ["yes", "no"]),
    "/edges/1/sourceHandle",
    undefined,
    /no source handle yes.*true, false/,
  ],
  [
    "the node type http",
    line(node("call", "http", { url: "https://x.example" })),
    "/nodes/1/type",
    "call",
    /the connector http and the operation request/,
  ],
  ["the node type if", line(node("check", "if")), "/nodes/1/type", "check", /here it is condition$/],
  [
    "a node for the approval",
    line(node("ask", "human_approval")),
    "/nodes/1/type",
    "ask",
    /requireApproval: true in its data/,
  ],
  ["a misspelt node type", line(node("call", "conector")), "/nodes/1/type", "call", /did you mean connector\?/],
  ["a typo in a field of the input", line(set("s", "{{action_input.orderid}}")), value, "s", /did you mean order_id\?/],
  [
    "one brace",
    line(set("s", "Order {action_input.order_id}")),
    value,
    "s",
    /two braces, as in \{\{action_input\.order_id\}\}/,
  ],
  [
    "a template as JavaScript has it",
    line(set("s", "${action_input.order_id}")),
    value,
    "s",
    /\{\{action_input\.order_id\}\}$/,
  ],
  ["the root input", line(set("s", "{{input.order_id}}")), value, "s", /write \{\{action_input\.order_id\}\}/],
  [
    "the root steps",
    line(set("s"), "{{steps.s.output.k}}"),
    "/nodes/2/data/properties/0/value",
    "done",
    /write \{\{s\.k\}\}/,
  ],
  [
    "a step that comes later",
    line(set("s", "{{done.text}}")),
    value,
    "s",
    /done is not upstream of s; add an edge path/,
  ],
  [
    "a typo in a step's id",
    line(set("size"), "{{sise.k}}"),
    "/nodes/2/data/properties/0/value",
    "done",
    /did you mean size\?/,
  ],
  [
    "an unquoted template, which YAML makes an object",
    line(node("w", "code", { code: { "action_input.order_id": null } })),
    "/nodes/1/data/code",
    "w",
    /must be text/,
  ],
  [
    "a connector that there is not",
    call({ connector: "htttp", operation: "request", input: {} }),
    "/nodes/1/data/connector",
    "call",
    /did you mean http\?/,
  ],
  [
    "an operation that there is not",
    call({ connector: "http", operation: "post", input: {} }),
    "/nodes/1/data/operation",
    "call",
    /it has request/,
  ],
  [
    "a field that an operation does not have",
    call({ connector: "http", operation: "request", input: { method: "GET", uri: "x" } }),
    "/nodes/1/data/input/uri",
    "call",
    /did you mean url\?/,
  ],
  [
    "an object in place of a list",
    line(node("s", "set", { assignments: { k: "v" } })),
    "/nodes/1/data/assignments",
    "s",
    /must be a list, not an object/,
  ],
  [
    "a list in place of an object",
    call({ connector: "http", operation: "request", input: [] }),
    "/nodes/1/data/input",
    "call",
    /must be an object, not a list/,
  ],
  [
    "a schema in place of the list of properties",
    {
      ...flow([], [edge("action_input", "done")]),
      nodes: [node("action_input", "action_input", { properties: { order_id: { type: "string" } } }), done("x")],
    },
    "/nodes/0/data/properties",
    "action_input",
    /must be a list, not an object/,
  ],
  [
    "a type as Python has it",
    { nodes: [input({ name: "a", type: "str" }), done("x")], edges: [edge("action_input", "done")] },
    "/nodes/0/data/properties/0/type",
    "action_input",
    /did you mean string\?/,
  ],
  [
    "a config beside data",
    line({ id: "s", type: "set", assignments: [] }),
    "/nodes/1/assignments",
    "s",
    /it belongs in the node's data/,
  ],
  [
    "a gate beside data",
    line({ ...node("s", "noop"), requireApproval: true }),
    "/nodes/1/requireApproval",
    "s",
    /it belongs in the node's data/,
  ],
  [
    "a misspelt gate",
    line(node("s", "noop", { require_approval: true })),
    "/nodes/1/data/require_approval",
    "s",
    /did you mean requireApproval\?/,
  ],
  [
    "edges from and to",
    { ...flow([], []), edges: [{ from: "action_input", to: "done" }] },
    "/edges/0/from",
    undefined,
    /it is called source here/,
  ],
  [
    "an edge to a node that there is not",
    { ...flow([], []), edges: [edge("action_input", "don")] },
    "/edges/0/target",
    undefined,
    /did you mean done\?/,
  ],
  ["no edges", flow([set("s")], []), "/nodes/1", "s", /No path leads from action_input to s; connect it/],
  [
    "a loop made of edges",
    flow([set("a"), set("b")], [edge("action_input", "a"), edge("a", "b"), edge("b", "a"), edge("b", "done")]),
    "/edges/2",
    "a",
    /a -> b -> a.*use a loop/,
  ],
  ["an id with a space", line(set("my step")), "/nodes/1/id", "my step", /letters, digits, _ and -/],
  [
    "two nodes of one id",
    flow([set("a"), set("a")], [edge("action_input", "a"), edge("a", "done")]),
    "/nodes/2/id",
    "a",
    /ids are unique/,
  ],
];

it("a mistake that models make is told at its place, with its node and with what mends it", async () => {
  const runtime = await testRuntime();
  for (const [mistake, definition, path, owner, fix] of mistakes) {
    const args = { name: "Draft", definition, validate_only: true };
    const { errors, warnings } = await callTool<SavedWorkflow>(runtime, "create_workflow", args);
    const told = [...errors, ...warnings].find((issue) => issue.path === path);
    expect([mistake, told?.node_id, told?.message]).toEqual([mistake, owner, expect.stringMatching(fix)]);
  }
});

it("a number that outgrows every number is told at its place, and no null takes its place", async () => {
  const runtime = await testRuntime();
  const definition = JSON.stringify(line(set("big", 12321))).replace("12321", "1e400");
  const params = `{"name": "create_workflow", "arguments": {"name": "Big", "definition": ${definition}}}`;
  const { body } = await postMcp(runtime, `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ${params}}`);
  expect(body.result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('"code":"not_json"') }],
  });
  expect(JSON.stringify(body.result)).toContain("/nodes/1/data/assignments/0/value");
});
