import { expect, it } from "vitest";
import { callable, summarize, workflow } from "../../../test/support/definitions.ts";

const ids = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
const fan = (count: number) =>
  callable(
    ids(count).map((id) => `{id: ${id}, type: noop}`),
    ["action_input -> done", ...ids(count).map((id) => `action_input -> ${id}`)].join(";"),
  );

it.each([
  ["201 nodes", fan(199), "too_many_nodes /nodes", /has 201 nodes, more than 200; split/],
  [
    "401 edges",
    callable(
      [],
      ids(401)
        .map(() => "action_input -> done")
        .join(";"),
    ),
    "too_many_edges /edges",
    /401 edges, more than 400/,
  ],
  [
    "a definition above 512 KiB",
    { ...callable([], "action_input -> done"), description: "я".repeat(300_000) },
    "definition_too_large",
    /more than 524288/,
  ],
  [
    "so many nodes that nothing else is looked at",
    workflow(
      ids(1100).map((id) => `{id: ${id}, type: loop}`),
      "",
    ),
    "too_many_nodes /nodes",
    /1100 nodes/,
  ],
])("refuses %s", (_, definition, place, message) => {
  const errors = summarize(definition, "error");
  expect(errors.places).toEqual([place]);
  expect(errors.message).toMatch(message);
});

it("takes 200 nodes and as many edges as are allowed", () => {
  expect(summarize(fan(198), "error").places).toEqual([]);
});
