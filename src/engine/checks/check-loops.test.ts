import { describe, expect, it } from "vitest";
import { callable, summarize } from "../../../test/support/definitions.ts";

const loop = (id: string, variable = "row") => `{id: ${id}, type: loop, data: {itemVariable: ${variable}}}`;
const [a, b] = ["{id: a, type: noop}", "{id: b, type: noop}"];
const nested = [loop("l1", "x1"), loop("l2", "x2"), loop("l3", "x3")];
const nestedEdges = "action_input -> l1; l1.loop -> l2; l2.loop -> l3";

describe("checkLoops", () => {
  it.each([
    [
      "a body that leads past the loop",
      callable([loop("each"), a, b], "action_input -> each; each.loop -> a; a -> b; each.done -> b; b -> done"),
      "loop_body_leak /edges/2 e3",
      /from a to b leaves the body of the loop each; end the body at a/,
    ],
    [
      "a loop handle that leads past the loop",
      callable([loop("each"), a], "action_input -> each; each.loop -> a; each.done -> a; a -> done"),
      "loop_body_leak /edges/1 e2",
      /from each to a leaves the body/,
    ],
    [
      "an inner body that leads past the inner loop",
      callable(
        [loop("each"), loop("in", "x"), a, b],
        "action_input -> each; each.loop -> in; in.loop -> a; in.done -> b; a -> b; each.done -> done",
      ),
      "loop_body_leak /edges/4 e5",
      /from a to b leaves the body of the loop in;/,
    ],
    [
      "a body entered from beside the loop",
      callable(
        [loop("each"), a, b],
        "action_input -> each; each.loop -> a; action_input -> b; b -> a; each.done -> done",
      ),
      "loop_body_entry /edges/3 e4",
      /from b to a enters the body of the loop each from outside/,
    ],
    [
      "an inner body entered from the outer one",
      callable(
        [loop("each"), loop("in", "x"), a, b],
        "action_input -> each; each.loop -> in; in.loop -> a; each.loop -> b; b -> a; each.done -> done",
      ),
      "loop_body_entry /edges/4 e5",
      /enters the body of the loop in /,
    ],
    [
      "an output in a body",
      callable([loop("each"), a], "action_input -> each; each.loop -> a; a -> done"),
      "return_output_in_loop /nodes/3 done",
      /done lies in the body of the loop each/,
    ],
    [
      "loops nested deeper than three",
      callable([...nested, loop("l4", "x4"), a], `${nestedEdges}; l3.loop -> l4; l4.loop -> a; l1.done -> done`),
      "loop_too_deep /nodes/4 l4",
      /deeper than 3 at l4/,
    ],
    [
      "an item variable that is a node's id",
      callable([loop("each", "a"), a], "action_input -> each; each.loop -> a; each.done -> done"),
      "item_variable_taken /nodes/1/data/itemVariable each",
      /itemVariable a is the id of a node too/,
    ],
    [
      "an item variable that is a root",
      callable([loop("each", "run"), a], "action_input -> each; each.loop -> a; each.done -> done"),
      "item_variable_reserved /nodes/1/data/itemVariable each",
      /reserved/,
    ],
  ])("refuses %s", (_, definition, place, message) => {
    const errors = summarize(definition, "error");
    expect(errors.places).toEqual([place]);
    expect(errors.message).toMatch(message);
  });

  it("takes three levels, and one name in loops side by side", () => {
    const three = callable([...nested, a], `${nestedEdges}; l3.loop -> a; l1.done -> done`);
    const two = [loop("l1"), loop("l2"), a, b];
    const aside = callable(two, "action_input -> l1; l1.loop -> a; l1.done -> l2; l2.loop -> b; l2.done -> done");
    for (const definition of [three, aside]) {
      expect(summarize(definition, "error").places).toEqual([]);
      expect(summarize(definition, "warning").places).toEqual([]);
    }
  });

  it("leaves an edge from nowhere into a body to the check of edges", () => {
    const edges = "action_input -> each; each.loop -> a; zebra -> a; each.done -> done";
    expect(summarize(callable([loop("each"), a], edges), "error").places).toEqual(["dangling_edge /edges/2/source e3"]);
  });

  it("warns of an item variable that hides an outer loop's", () => {
    const edges = "action_input -> each; each.loop -> in; in.loop -> a; each.done -> done";
    const { places, message } = summarize(callable([loop("each"), loop("in"), a], edges), "warning");
    expect(places).toEqual(["item_variable_hidden /nodes/2/data/itemVariable in"]);
    expect(message).toMatch(/hides the one of the enclosing loop each/);
  });
});
