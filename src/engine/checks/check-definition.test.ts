import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callable, check, workflow } from "../../../test/support/definitions.ts";
import { parseWorkflowFile } from "../definition/parse-workflow.ts";

describe("checkDefinition", () => {
  it("finds nothing in a workflow that uses everything as it is meant", () => {
    const nodes = [
      '{id: check, type: condition, data: {field: "{{action_input.amount}} {{run.id}}"}}',
      '{id: each, type: loop, data: {items: "{{action_input.list}}", itemVariable: row}}',
      '{id: inner, type: loop, data: {items: "{{row.parts}}", itemVariable: part}}',
      '{id: line, type: set, data: {maxRetries: 3, value: {a: "{{row.id}} {{part.id}}", b: ["{{check.branch}}"]}}}',
      '{id: keep, type: filter, data: {items: "{{each.iterations}}", conditions: [{field: "{{item.x}} {{index}}"}]}}',
      "{id: both, type: merge}",
      '{id: last, type: set, data: {value: "{{both.input_0}} {{keep.kept}} {{{{literal}}"}}',
    ];
    const edges = `action_input -> check; check.true -> each; each.loop -> inner; inner.loop -> line; each.done -> keep;
      keep -> both.input_0; check.false -> both.input_1; both -> last; last -> done`;
    expect(check(callable(nodes, edges))).toEqual([]);
  });

  it("finds nothing in an event-driven workflow with a webhook's answer", () => {
    const nodes = [
      '{id: start, type: trigger, data: {kind: webhook, respondMode: respond_node, secret: "{{secret.HOOK}}"}}',
      '{id: a, type: set, data: {value: "{{trigger.output.body.id}} {{start.body}}"}}',
      "{id: answer, type: respond_to_webhook}",
    ];
    expect(check(workflow(nodes, "start -> a; a -> answer"))).toEqual([]);
  });

  it("reports ten and more problems of one file at once, each with its line and column", () => {
    const text = `name: Ten problems
slug: Ten
nodes:
  - {id: action_input, type: action_input, data: {requireApproval: true}}
  - id: 1st
    type: noop
  - id: check
    type: condition
    data:
      field: "{{action_input.x"
  - {id: fetch, type: http}
  - {id: run, type: noop}
  - id: total
    type: set
    data:
      limit: many
      value:
        - "{{fetsh.body}}"
  - {id: both, type: merge, data: {inputs: 2}}
edges:
  - action_input -> check
  - check.maybe -> fetch
  - fetch -> total
  - total -> both.input_0
  - {source: total, target: nobody}
`;
    const { definition, issues, locate } = parseWorkflowFile(text, "yaml");
    const checked = definition ? check(definition).map((issue) => ({ ...issue, ...locate(issue.path) })) : [];
    const all = [...issues, ...checked].map(({ code, line, column }) => `${line}:${column} ${code}`);
    expect(all).toEqual([
      "2:7 invalid_definition",
      "5:9 invalid_definition",
      "3:1 return_output_count",
      "4:68 gate_not_possible",
      "5:5 unreachable_node",
      "10:14 malformed_template",
      "11:23 unknown_node_type",
      "12:10 reserved_node_id",
      "12:5 unreachable_node",
      "16:14 invalid_config",
      "18:11 unknown_template_root",
      "19:5 merge_handle_missing",
      "22:5 unknown_source_handle",
      "25:29 dangling_edge",
    ]);
  });

  it("survives whatever shape a definition has, and points at what is there", () => {
    const types = ["action_input", "return_output", "trigger", "loop", "merge", "set", "filter", "nonsense"];
    const id = fc.constantFrom("a", "b", "c", "d", "e", "loop", "__proto__");
    const data = fc.constantFrom({}, { value: "{{a.x}} {{" }, { itemVariable: "b" }, { inputs: 3, properties: "none" });
    const node = fc.record({ id, type: fc.constantFrom(...types), data });
    const handle = fc.constantFrom("default", "loop", "done", "input_0");
    const edge = fc.record({ id, source: id, target: id, sourceHandle: handle, targetHandle: handle });
    const graph = fc.record({ nodes: fc.array(node), edges: fc.array(edge) });
    fc.assert(
      fc.property(graph, (shape) => {
        for (const { path } of check({ name: "x", approval_policy: "never", ...shape })) {
          const [list, index] = path.split("/").slice(1);
          if (list === "nodes") expect(shape.nodes.length).toBeGreaterThan(Number(index ?? -1));
          if (list === "edges") expect(shape.edges.length).toBeGreaterThan(Number(index ?? -1));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("gives its issues no place in a text, which it does not know", () => {
    expect(check(workflow([], ""))).toEqual([expect.objectContaining({ line: null, column: null, severity: "error" })]);
  });
});
