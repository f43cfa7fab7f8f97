import type { WorkflowDefinition } from "../../contract/workflow.ts";

/**
 * What a definition takes away from the gates of the one before, each in words: the policy `always`, and each
 * `requireApproval` that is gone, with or without its node (contract 2).
 */
export function findWeakenedGates(previous: WorkflowDefinition, next: WorkflowDefinition): string[] {
  const gated = new Set(next.nodes.filter(isGated).map(({ id }) => id));
  const dropped = previous.nodes.filter((node) => isGated(node) && !gated.has(node.id));
  const isPolicyDropped = previous.approval_policy === "always" && next.approval_policy === "never";
  return [
    ...(isPolicyDropped ? ["approval_policy was changed from always to never"] : []),
    ...dropped.map(({ id }) => {
      const stays = next.nodes.some((node) => node.id === id);
      return stays ? `the node ${id} no longer has requireApproval` : `the gated node ${id} was removed`;
    }),
  ];
}

function isGated({ data }: WorkflowDefinition["nodes"][number]): boolean {
  return data["requireApproval"] === true;
}
