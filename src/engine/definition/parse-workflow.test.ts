import { describe, expect, it } from "vitest";
import { parseWorkflowFile, saveDefinition } from "./parse-workflow.ts";

const minimal = `name: Echo
slug: echo
nodes:
  - {id: action_input, type: action_input}
  - id: done
    type: return_output
    data:
      properties: []
edges:
  - action_input -> done
`;

describe("parseWorkflowFile", () => {
  it("reads a file into the canonical definition", () => {
    const { definition, id, issues } = parseWorkflowFile(minimal, "yaml");
    expect(issues).toEqual([]);
    expect(id).toBeNull();
    expect(definition).toEqual({
      name: "Echo",
      slug: "echo",
      approval_policy: "never",
      nodes: [
        { id: "action_input", type: "action_input", data: {} },
        { id: "done", type: "return_output", data: { properties: [] } },
      ],
      edges: [{ id: "e1", source: "action_input", target: "done", sourceHandle: "default", targetHandle: "default" }],
    });
  });

  it("reads the same from JSON, with id and $schema", () => {
    const { definition } = parseWorkflowFile(minimal, "yaml");
    const text = JSON.stringify({ $schema: "../schema/workflow.schema.json", id: "w-1", ...definition }, null, 2);
    const parsed = parseWorkflowFile(text, "json");
    expect(parsed).toMatchObject({ id: "w-1", issues: [] });
    expect(parsed.definition).toEqual(definition);
  });

  it("mixes both forms of edges and gives ids that collide with none", () => {
    const text = `${minimal}  - {id: e2, source: a, target: b}\n  - a.true -> m.input_1\n  - {source: x, target: y}\n`;
    expect(parseWorkflowFile(text, "yaml").definition?.edges.slice(1)).toEqual([
      { id: "e2", source: "a", target: "b", sourceHandle: "default", targetHandle: "default" },
      { id: "e3", source: "a", target: "m", sourceHandle: "true", targetHandle: "input_1" },
      { id: "e4", source: "x", target: "y", sourceHandle: "default", targetHandle: "default" },
    ]);
  });

  it("locates values, keys and what is missing", () => {
    const { locate } = parseWorkflowFile(minimal, "yaml");
    expect(locate("/name")).toEqual({ line: 1, column: 7 });
    expect(locate("/nodes/0/type")).toEqual({ line: 4, column: 30 });
    expect(locate("/nodes/1")).toEqual({ line: 5, column: 5 });
    expect(locate("/nodes/1/data/properties/3/name")).toEqual({ line: 8, column: 7 });
    expect(locate("/edges/0/targetHandle")).toEqual({ line: 10, column: 5 });
    expect(locate("/description")).toEqual({ line: 1, column: 1 });
  });

  it("reports every fault of shape at once, with its place, and keeps what can be checked further", () => {
    const text = `nmae: x
slug: Not A Slug
nodes:
  - {id: 9th, type: noop, lable: x, maxRetries: 2}
  - {id: ok, type: noop, data: {}}
edges:
  - {source: ok, target: 9th, source_handle: out}
`;
    const { definition, issues } = parseWorkflowFile(text, "yaml");
    expect(issues).toEqual([
      issue("warning", "unknown_field", "/nmae", 1, 7, "did you mean name?"),
      issue("warning", "unknown_field", "/nodes/0/lable", 4, 34, "did you mean label?", { node_id: "9th" }),
      issue("warning", "unknown_field", "/nodes/0/maxRetries", 4, 49, "belongs in the node's data", { node_id: "9th" }),
      issue("warning", "unknown_field", "/edges/0/source_handle", 7, 46, "sourceHandle?", { edge_id: "e1" }),
      issue("error", "invalid_definition", "/name", 1, 1, "name is missing"),
      issue("error", "invalid_definition", "/slug", 2, 7, "slug must be 1 to 57"),
      issue("error", "invalid_definition", "/nodes/0/id", 4, 10, "starting with a letter", { node_id: "9th" }),
    ]);
    expect(definition?.nodes.map(({ id }) => id)).toEqual(["9th", "ok"]);
  });

  it.each([
    ["yaml", "name: x\nnodes: []\nedges:\n  - a - b\n", "invalid_definition", "/edges/0", 4, 5],
    ["yaml", "name: x\nnodes: 3\nedges: []\n", "invalid_definition", "/nodes", 2, 8],
    ["yaml", "name: x\nid: 7\nnodes: []\nedges: []\n", "invalid_definition", "/id", 2, 5],
    ["yaml", "- a\n- b\n", "invalid_definition", "", 1, 1],
    ["yaml", "name: x\n\tnodes: []\n", "invalid_yaml", "", 2, 1],
    ["yaml", "", "empty_file", "", 1, 1],
    ["json", '{\n  "name": "x",\n}', "invalid_json", "", 3, 1],
    ["json", '{"name": "x", "nodes": [],\n "nodes": [], "edges": []}', "duplicate_key", "", 2, 2],
  ] as const)("says where a %s file %j is broken", (format, text, code, path, line, column) => {
    expect(parseWorkflowFile(text, format).issues).toEqual([expect.objectContaining({ code, path, line, column })]);
  });

  it("refuses files above 512 KiB unread", () => {
    const { definition, issues, locate } = parseWorkflowFile(`# ${"я".repeat(300_000)}`, "yaml");
    expect(definition).toBeNull();
    expect(issues).toEqual([expect.objectContaining({ code: "definition_too_large", severity: "error" })]);
    expect(locate("")).toBeNull();
  });
});

describe("saveDefinition", () => {
  const trigger = { id: "trigger", type: "trigger", data: { kind: "webhook" } };
  const save = (nodes: unknown[], edges: unknown[] = []) => saveDefinition({ name: "x", nodes, edges });

  it("takes a broken graph as a draft, since saving checks shape alone", () => {
    const { definition, issues } = save(
      [trigger, { id: "a", type: "no_such_type" }],
      [{ source: "a", target: "ghost" }],
    );
    expect(issues).toEqual([]);
    expect(definition?.edges[0]).toMatchObject({ id: "e1", sourceHandle: "default" });
  });

  it("takes a draft of both kinds; publishing refuses it", () => {
    expect(save([trigger, { id: "done", type: "return_output" }]).definition).not.toBeNull();
  });

  it.each([
    [
      "the legacy type transform",
      [trigger, { id: "t", type: "transform" }],
      "legacy_node_type",
      "/nodes/1/type",
      /set.*code/,
    ],
    [
      "a definition of neither kind",
      [{ id: "a", type: "noop" }],
      "no_workflow_kind",
      "/nodes",
      /callable.*event-driven/,
    ],
    ["an id that is none", [trigger, { id: "a.b", type: "noop" }], "invalid_definition", "/nodes/1/id", /must be/],
    [
      "data that is no object",
      [trigger, { id: "a", type: "noop", data: [] }],
      "invalid_definition",
      "/nodes/1/data",
      /object/,
    ],
  ])("refuses %s", (_, nodes, code, path, message) => {
    const saved = save(nodes);
    expect(saved.definition).toBeNull();
    expect(saved.issues).toEqual([expect.objectContaining({ code, path, message: expect.stringMatching(message) })]);
  });

  it("knows the short form of edges as one for files", () => {
    expect(save([trigger], ["trigger -> a"]).issues).toEqual([
      expect.objectContaining({
        code: "invalid_definition",
        path: "/edges/0",
        message: expect.stringContaining("in a file"),
      }),
    ]);
  });

  it.each([null, "text", [], 3])("refuses %j as a whole", (value) => {
    expect(saveDefinition(value)).toMatchObject({ definition: null, issues: [{ path: "" }] });
  });
});

function issue(
  severity: string,
  code: string,
  path: string,
  line: number,
  column: number,
  message: string,
  owner: { node_id?: string; edge_id?: string } = {},
) {
  return { severity, code, path, line, column, message: expect.stringContaining(message), ...owner };
}
