import { isDeepStrictEqual } from "node:util";
import type { WorkflowDefinition } from "../contract/workflow.ts";
import type { VersionRecord, WebhookSecretChange, WorkflowRecord } from "../store/store.ts";
import { secretsOfTrigger } from "./definition/definition-secrets.ts";
import { type SeparatedSecrets, hasLiterals, sealLiterals, separateSecrets } from "./separate-secrets.ts";
import type { Services } from "./services.ts";

/** `hasChanged`: the definition says other webhook secrets than the deployed one, or says them elsewhere. */
export type PublishedSecrets = SeparatedSecrets & { hasChanged: boolean };

/** Moves the literal webhook secrets out of a definition that is published (contract 2). */
export function publishedSecrets(
  services: Pick<Services, "values">,
  workspaceId: number,
  workflow: WorkflowRecord | null,
  deployed: VersionRecord | null,
  definition: WorkflowDefinition,
): PublishedSecrets {
  const separated = separateSecrets(services, workspaceId, workflow?.id ?? null, definition, ["deployed", "draft"]);
  const hasChanged =
    workflow !== null &&
    deployed !== null &&
    (!hasLiterals(services, workspaceId, workflow.id, separated.literals) ||
      !isDeepStrictEqual(say(deployed.definition), say(separated.definition)));
  return { ...separated, hasChanged };
}

/** What is written with the version. Other secrets than before end those that a command has set over them. */
export function sealPublished(
  services: Pick<Services, "cipher">,
  workspaceId: number,
  workflowId: string,
  { literals, hasChanged }: PublishedSecrets,
): WebhookSecretChange[] {
  const sealed = sealLiterals(services, workspaceId, workflowId, literals, ["draft", "deployed"]);
  return hasChanged ? [...sealed, { stage: "command", content: null }] : sealed;
}

function say({ nodes }: WorkflowDefinition): string[] {
  const triggers = nodes.filter(({ type }) => type === "trigger");
  return triggers.flatMap((node) => secretsOfTrigger(node).map(({ text }) => text));
}
