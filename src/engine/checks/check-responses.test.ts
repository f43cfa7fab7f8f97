import { expect, it } from "vitest";
import { check, summarize, workflow } from "../../../test/support/definitions.ts";

const hook = (mode: string) => `{id: t, type: trigger, data: {kind: webhook, respondMode: ${mode}}}`;
const answer = "{id: a, type: respond_to_webhook}";

it.each([
  [
    "an answer that nobody waits for",
    workflow([hook("immediate"), answer], "t -> a"),
    "no_pending_response /nodes/1 a",
  ],
  [
    "a caller whom no node answers",
    workflow([hook("respond_node"), "{id: n, type: noop}"], "t -> n"),
    "no_response_node /nodes/0/data/respondMode t",
  ],
  [
    "a Wait while a caller waits",
    workflow([hook("respond_node"), "{id: w, type: wait}", answer], "t -> w; w -> a"),
    "response_may_be_late /nodes/1 w",
  ],
  [
    "a gate while a caller waits",
    workflow([hook("respond_node"), "{id: g, type: noop, data: {requireApproval: true}}", answer], "t -> g; g -> a"),
    "response_may_be_late /nodes/1 g",
  ],
  [
    "a gate on the answer itself while a caller waits",
    workflow([hook("respond_node"), "{id: a, type: respond_to_webhook, data: {requireApproval: true}}"], "t -> a"),
    "response_may_be_late /nodes/1 a",
  ],
  [
    "a Wait in a loop before the answer",
    workflow(
      [hook("respond_node"), "{id: l, type: loop}", "{id: w, type: wait}", answer],
      "t -> l; l.loop -> w; l.done -> a",
    ),
    "response_may_be_late /nodes/2 w",
  ],
  [
    "a policy that holds the run while a caller waits",
    { ...workflow([hook("respond_node"), answer], "t -> a"), approval_policy: "always" as const },
    "response_may_be_late /approval_policy",
  ],
])("warns of %s", (_, definition, place) => {
  expect(summarize(definition, "warning").places).toEqual([place]);
});

it.each([
  ["an answer to a caller that waits", workflow([hook("respond_node"), answer], "t -> a")],
  ["a Wait behind the answer", workflow([hook("respond_node"), answer, "{id: w, type: wait}"], "t -> a; a -> w")],
  ["a Wait beside the answer", workflow([hook("respond_node"), answer, "{id: w, type: wait}"], "t -> a; t -> w")],
])("says nothing of %s", (_, definition) => {
  expect(check(definition)).toEqual([]);
});
