import { describe, expect, it } from "vitest";
import { actionInput, callable, single, summarize, workflow } from "../../../test/support/definitions.ts";

const chain = "action_input -> a; a -> b; b -> done";
const placeholder = (data: string) =>
  workflow([actionInput, `{id: done, type: return_output, data: ${data}}`], "action_input -> done");

describe("checkNodes", () => {
  it.each([
    [
      "a type that is a slip",
      single("nop"),
      "unknown_node_type /nodes/1/type a",
      /no node type nop; did you mean noop\?/,
    ],
    [
      "a type that nothing is near to",
      single("kafka"),
      "unknown_node_type /nodes/1/type a",
      /types are action_input, /,
    ],
    ["the legacy type", single("transform"), "legacy_node_type /nodes/1/type a", /use set .* or code/],
    [
      "a type that the catalogue lacks",
      single("llm"),
      "node_type_unavailable /nodes/1/type a",
      /llm is not available in this version of Stepgate/,
    ],
    ["a bad config", single("set", "{limit: 10}"), "invalid_config /nodes/1/data/limit a", /limit must be at most 9/],
    ["a missing field", single("filter", "{items: x}"), "invalid_config /nodes/1/data/conditions a", /is missing/],
    ["a bad setting", single("set", "{maxRetries: 11}"), "invalid_setting /nodes/1/data/maxRetries a", /at most 10/],
    [
      "a gate on a placeholder",
      placeholder("{requireApproval: true}"),
      "gate_not_possible /nodes/1/data/requireApproval done",
      /can't wait for approval/,
    ],
    [
      "a doubled id",
      callable(["{id: a, type: noop}", "{id: a, type: noop}"], "action_input -> a; a -> done"),
      "duplicate_node_id /nodes/2/id a",
      /taken by the node at \/nodes\/1/,
    ],
    [
      "an id that is a root",
      callable(["{id: loop, type: loop}"], "action_input -> loop; loop.done -> done"),
      "reserved_node_id /nodes/1/id loop",
      /reserved/,
    ],
    [
      "an id that belongs to another type",
      callable(["{id: trigger, type: noop}"], "action_input -> trigger; trigger -> done"),
      "reserved_node_id /nodes/1/id trigger",
      /reserved/,
    ],
  ])("refuses %s", (_, definition, place, message) => {
    const errors = summarize(definition, "error");
    expect(errors.places).toEqual([place]);
    expect(errors.message).toMatch(message);
  });

  it.each([
    ["an unknown field", single("set", "{vlaue: 1}"), "unknown_field /nodes/1/data/vlaue a", /did you mean value\?/],
    [
      "a field of another mode",
      single("switch", "{mode: expression, matchField: x}"),
      "unknown_field /nodes/1/data/matchField a",
      /The field matchField of switch is ignored: it belongs to another kind or mode of switch$/,
    ],
    [
      "a nested unknown field",
      single("filter", "{items: x, conditions: [{field: x, colour: red}]}"),
      "unknown_field /nodes/1/data/conditions/0/colour a",
      /Unknown field colour of filter is ignored$/,
    ],
    [
      "retries that do nothing",
      callable(
        ["{id: a, type: loop, data: {maxRetries: 1}}", "{id: b, type: noop}"],
        "action_input -> a; a.loop -> b; a.done -> done",
      ),
      "setting_without_effect /nodes/1/data/maxRetries a",
      /no effect on loop/,
    ],
    [
      "settings of a placeholder",
      placeholder("{continueOnFailure: false}"),
      "setting_without_effect /nodes/1/data/continueOnFailure done",
      /no effect on return_output/,
    ],
    ["what the node type finds", single("set", "{limit: 0}"), "limit_zero /nodes/1/data/limit a", /keeps nothing/],
  ])("warns of %s", (_, definition, place, message) => {
    const warnings = summarize(definition, "warning");
    expect(warnings.places).toEqual([place]);
    expect(warnings.message).toMatch(message);
    expect(summarize(definition, "error").places).toEqual([]);
  });

  it("reports problems, unknown fields and settings of several nodes together", () => {
    const definition = callable(
      ["{id: a, type: set, data: {limit: 10, vlaue: 1, maxRetries: -1}}", "{id: b, type: nope}"],
      chain,
    );
    expect(summarize(definition, "error").places).toEqual([
      "invalid_setting /nodes/1/data/maxRetries a",
      "invalid_config /nodes/1/data/limit a",
      "unknown_node_type /nodes/2/type b",
    ]);
    expect(summarize(definition, "warning").places).toEqual(["unknown_field /nodes/1/data/vlaue a"]);
  });
});
