import type { Issue, WorkflowDefinition } from "../contract/workflow.ts";
import { nodePlace } from "./checked-graph.ts";
import { errorAt } from "./issue.ts";

/** Refuses gates as long as there are none: a gate that somebody relies on must never be ignored. */
export function checkApprovals(definition: WorkflowDefinition): Issue[] {
  const gated = definition.nodes.flatMap(({ id, data }, index) =>
    data["requireApproval"] === true ? [nodePlace({ id, index }, "/data/requireApproval")] : [],
  );
  const places = definition.approval_policy === "always" ? [{ path: "/approval_policy" }, ...gated] : gated;
  const message =
    "Approval gates are not available in this version of Stepgate, and a gate is never ignored; publish without it only if nobody has to approve";
  return places.map((place) => errorAt(place, "approvals_unavailable", message));
}
