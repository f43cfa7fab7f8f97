import type { ApprovalPolicy } from "../../contract/action.ts";
import type { PublishVersion } from "../store.ts";
import type { SubscriptionInsert } from "./subscription-writes.ts";

/** A publish with its documents as JSON texts, and beside them what the definition says of workflow and action. */
export type VersionInsert = Omit<PublishVersion, "definition" | "inputSchema" | "outputSchema" | "trigger"> & {
  definition: string;
  inputSchema: string | null;
  outputSchema: string | null;
  name: string;
  description: string | null;
  approvalPolicy: ApprovalPolicy;
  trigger: SubscriptionInsert | null;
};

export function encodePublish({
  definition,
  inputSchema,
  outputSchema,
  trigger,
  ...input
}: PublishVersion): VersionInsert {
  return {
    ...input,
    definition: JSON.stringify(definition),
    inputSchema: inputSchema && JSON.stringify(inputSchema),
    outputSchema: outputSchema && JSON.stringify(outputSchema),
    name: definition.name,
    description: definition.description ?? null,
    approvalPolicy: definition.approval_policy,
    trigger: trigger ? { ...trigger, config: JSON.stringify(trigger.config) } : null,
  };
}
