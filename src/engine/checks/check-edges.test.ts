import { describe, expect, it } from "vitest";
import { callable, single, summarize } from "../../../test/support/definitions.ts";

const noop = "{id: a, type: noop}";

describe("checkEdges", () => {
  it.each([
    [
      "an edge from nowhere",
      callable(["{id: fetch, type: noop}"], "action_input -> fetch; fetch -> done; fetsh -> done"),
      "dangling_edge /edges/2/source e3",
      /source fetsh is no node of this workflow; did you mean fetch\?/,
    ],
    [
      "an edge to nowhere",
      callable([], "action_input -> done; action_input -> zzz"),
      "dangling_edge /edges/1/target e2",
      /target zzz is no node/,
    ],
    [
      "a doubled edge id",
      callable([noop], "{id: x, source: action_input, target: a}; {id: x, source: a, target: done}"),
      "duplicate_edge_id /edges/1/id x",
      /taken by the edge at \/edges\/0/,
    ],
    [
      "an unknown source handle",
      callable(["{id: c, type: condition, data: {field: x}}"], "action_input -> c; c.ture -> done"),
      "unknown_source_handle /edges/1/sourceHandle e2",
      /c \(condition\) has no source handle ture; it has true, false; did you mean true\?/,
    ],
    [
      "an unknown target handle",
      callable([noop], "action_input -> a.input_0; a -> done"),
      "unknown_target_handle /edges/0/targetHandle e1",
      /no target handle input_0; it has default/,
    ],
    [
      "an edge out of an output",
      callable([noop], "action_input -> done; done -> a"),
      "unknown_source_handle /edges/1/sourceHandle e2",
      /done \(return_output\) has no source handle: nothing follows it/,
    ],
    [
      "a Merge with a handle missing",
      callable(
        ["{id: m, type: merge, data: {inputs: 3}}", noop],
        "action_input -> a; a -> m.input_0; action_input -> m.input_2; m -> done",
      ),
      "merge_handle_missing /nodes/1 m",
      /No edge leads to the handle input_1 of m/,
    ],
    [
      "a Merge with a handle used twice",
      callable(
        ["{id: m, type: merge}", noop],
        "action_input -> a; a -> m.input_0; action_input -> m.input_1; a -> m.input_1; m -> done",
      ),
      "merge_handle_taken /edges/3/targetHandle e4",
      /input_1 of m has an edge already \(e3\)/,
    ],
  ])("refuses %s", (_, definition, place, message) => {
    const errors = summarize(definition, "error");
    expect(errors.places).toEqual([place]);
    expect(errors.message).toMatch(message);
  });

  it("refuses an edge into the input", () => {
    const { places, message } = summarize(callable([noop], "action_input -> done; a -> action_input"), "error");
    expect(places).toContain("unknown_target_handle /edges/1/targetHandle e2");
    expect(message).toMatch(/action_input \(action_input\) has no target handle: nothing leads to it/);
  });

  it("refuses the plain handle of a Merge, which has none", () => {
    const { places } = summarize(callable(["{id: m, type: merge}"], "action_input -> m; m -> done"), "error");
    expect(places).toEqual([
      "merge_handle_missing /nodes/1 m",
      "merge_handle_missing /nodes/1 m",
      "unknown_target_handle /edges/0/targetHandle e1",
    ]);
  });

  it("says nothing of the handles of a node that can't be read", () => {
    expect(summarize(single("condition"), "error").places).toEqual(["invalid_config /nodes/1/data/field a"]);
  });
});
