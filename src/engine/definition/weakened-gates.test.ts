import { expect, it } from "vitest";
import type { WorkflowDefinition } from "../../contract/workflow.ts";
import { findWeakenedGates } from "./weakened-gates.ts";

type Gates = { policy?: "always" | "never"; nodes?: Record<string, boolean | undefined> };

function gated({ policy = "never", nodes = {} }: Gates): WorkflowDefinition {
  const list = Object.entries(nodes).map(([id, requireApproval]) => {
    return { id, type: "noop", data: requireApproval === undefined ? {} : { requireApproval } };
  });
  return { name: "Pay", approval_policy: policy, nodes: list, edges: [] };
}

it.each<[what: string, before: Gates, after: Gates, found: string[]]>([
  ["nothing", {}, {}, []],
  ["a policy that is dropped", { policy: "always" }, {}, ["approval_policy was changed from always to never"]],
  ["a policy that is added", {}, { policy: "always" }, []],
  [
    "a gate that is set to false",
    { nodes: { a: true } },
    { nodes: { a: false } },
    ["the node a no longer has requireApproval"],
  ],
  [
    "a gate that is left out",
    { nodes: { a: true } },
    { nodes: { a: undefined } },
    ["the node a no longer has requireApproval"],
  ],
  ["a gate that goes with its node", { nodes: { a: true } }, { nodes: { b: true } }, ["the gated node a was removed"]],
  ["gates that stay and come", { nodes: { a: true, b: false } }, { nodes: { b: true, a: true } }, []],
  ["a node without a gate that goes", { nodes: { a: false } }, {}, []],
  [
    "several at once",
    { policy: "always", nodes: { a: true, b: true } },
    { nodes: { b: false } },
    [
      "approval_policy was changed from always to never",
      "the gated node a was removed",
      "the node b no longer has requireApproval",
    ],
  ],
])("of %s it says what is weaker", (_, before, after, found) => {
  expect(findWeakenedGates(gated(before), gated(after))).toEqual(found);
});
