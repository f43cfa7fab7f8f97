import { describe, expect, it } from "vitest";
import { actionInput, callable, returnOutput, summarize, workflow } from "../../../test/support/definitions.ts";

const trigger = "{id: trigger, type: trigger, data: {kind: webhook}}";
const oneInput = "Callable workflow must have exactly 1 Action Input node";
const returning = (id: string, type: string) =>
  `{id: ${id}, type: return_output, data: {properties: [{name: r, type: ${type}}]}}`;

describe("checkKind", () => {
  it.each([
    ["no input", workflow(["{id: a, type: noop}", returnOutput], "a -> done"), "action_input_count /nodes", oneInput],
    [
      "two inputs",
      workflow([actionInput, "{id: second, type: action_input}", returnOutput], "action_input -> done; second -> done"),
      "action_input_count /nodes/1 second",
      oneInput,
    ],
    [
      "no output",
      workflow([actionInput], ""),
      "return_output_count /nodes",
      "Callable workflow must have at least 1 Return Output node",
    ],
    [
      "two triggers",
      workflow([trigger, "{id: t2, type: trigger, data: {kind: webhook}}"], ""),
      "trigger_count /nodes/1 t2",
      "Event-driven workflow must have exactly 1 Trigger node",
    ],
    [
      "both kinds",
      workflow([actionInput, trigger, returnOutput], "action_input -> done; trigger -> done"),
      "mixed_workflow_kinds /nodes/1 trigger",
      "A workflow is callable (action_input, return_output) or event-driven (trigger), not both; remove one side",
    ],
    [
      "neither kind",
      workflow(["{id: a, type: noop}"], ""),
      "no_workflow_kind /nodes",
      "A workflow needs an action_input and a return_output node to be callable, or a trigger node to be event-driven",
    ],
    [
      "one output of two types",
      callable(
        [returning("ok", "string"), returning("no", "number")],
        "action_input -> ok; action_input -> no; action_input -> done",
      ),
      "output_type_conflict /nodes/2/data/properties/0/type no",
      "The output r is number here and string in ok; use one type",
    ],
  ])("refuses %s", (_, definition, place, message) => {
    expect(summarize(definition, "error")).toEqual({ places: [place], message });
  });

  it("takes one output in several places, when its type is the same", () => {
    const outputs = [returning("ok", "string"), returning("no", "string")];
    const edges = "action_input -> ok; action_input -> no; action_input -> done";
    expect(summarize(callable(outputs, edges), "error").places).toEqual([]);
  });
});
