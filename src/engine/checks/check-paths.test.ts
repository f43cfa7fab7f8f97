import { describe, expect, it } from "vitest";
import { callable, summarize, workflow } from "../../../test/support/definitions.ts";

const [a, b, c] = ["{id: a, type: noop}", "{id: b, type: noop}", "{id: c, type: noop}"];

describe("checkPaths", () => {
  it.each([
    [
      "a cycle, at the edge that closes it",
      callable([a, b], "action_input -> a; a -> b; b -> a; b -> done"),
      ["cycle /edges/2 a"],
      /form a cycle: a -> b -> a\./,
    ],
    [
      "a node that follows itself",
      callable([a], "action_input -> a; a -> a; a -> done"),
      ["cycle /edges/1 a"],
      /a -> a\./,
    ],
    [
      "an edge back from a loop's body",
      callable(["{id: l, type: loop}", a], "action_input -> l; l.loop -> a; a -> l; l.done -> done"),
      ["cycle /edges/2 l"],
      /whose body needs no edge back/,
    ],
    [
      "nodes that nothing leads to",
      callable([a, b, c], "action_input -> done; a -> b"),
      ["unreachable_node /nodes/1 a", "unreachable_node /nodes/2 b", "unreachable_node /nodes/3 c"],
      /No path leads from action_input to a; connect it or remove it/,
    ],
  ])("refuses %s", (_, definition, places, message) => {
    const errors = summarize(definition, "error");
    expect(errors.places).toEqual(places);
    expect(errors.message).toMatch(message);
  });

  it("calls nothing unreachable where there is no start", () => {
    expect(summarize(workflow([a, b], "a -> b"), "error").places).toEqual(["no_workflow_kind /nodes"]);
  });
});
