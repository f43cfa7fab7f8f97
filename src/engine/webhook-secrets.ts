import type { WorkflowNode } from "../contract/workflow.ts";
import type { WebhookSecretStage } from "../store/store.ts";
import { type SecretLiterals, hiddenSecret, secretsOfTrigger } from "./definition/definition-secrets.ts";
import { type Opened, SealedValueError, owners, requireOpened, sealValue } from "./sealed-value.ts";
import type { Services } from "./services.ts";
import { resolveSecretTemplate } from "./workspace-values.ts";

type Sources = Pick<Services, "values">;

/**
 * The true secrets with which signatures of a workflow's webhook are checked: none to two, the newest first. What
 * `setWebhookSecrets` has set wins over the deployed definition. Throws where a secret that there should be is missing or
 * can't be opened (MissingSecretError, SealedValueError): such a request must be refused, never let in unchecked.
 */
export async function webhookSecretsOf(
  services: Sources & Pick<Services, "store">,
  workspaceId: number,
  workflowId: string,
): Promise<string[]> {
  const deployed = await services.store.findDeployedVersion(workflowId);
  const trigger = deployed?.definition.nodes.find(({ type }) => type === "trigger");
  return trigger ? resolveWebhookSecrets(services, workspaceId, workflowId, trigger) : [];
}

/** The same for a trigger node of the deployed definition that the caller has at hand; reads nothing from the store. */
export function resolveWebhookSecrets(
  services: Sources,
  workspaceId: number,
  workflowId: string,
  trigger: Pick<WorkflowNode, "id" | "data">,
): string[] {
  const ofCommand = readStage(services, workspaceId, workflowId, "command");
  if (ofCommand) return Object.values(requireOpened(ofCommand, describe(workflowId)));
  const secrets = secretsOfTrigger(trigger).map(({ text, place }) => {
    if (text === hiddenSecret) return readLiteral(services, workspaceId, workflowId, place);
    const secret = resolveSecretTemplate(services, workspaceId, text);
    if (secret === "") throw new SealedValueError(describe(workflowId), "its template yields nothing");
    return secret;
  });
  return [...new Set(secrets)];
}

function readLiteral(services: Sources, workspaceId: number, workflowId: string, place: string): string {
  const deployed = readStage(services, workspaceId, workflowId, "deployed");
  const literal = deployed && requireOpened(deployed, describe(workflowId))[place];
  if (literal === undefined) throw new SealedValueError(describe(workflowId), "it was not kept; set it again");
  return literal;
}

/**
 * Sets the secrets of a workflow's webhook without a publish: a list of none (nothing is checked any more) to two, the
 * newest first; null goes back to what the deployed definition says. In effect when it settles.
 */
export async function setWebhookSecrets(
  services: Pick<Services, "store" | "values" | "cipher" | "world">,
  workspaceId: number,
  workflowId: string,
  secrets: readonly string[] | null,
): Promise<void> {
  const content =
    secrets === null
      ? null
      : sealValue(
          services.cipher,
          owners.webhook(workspaceId, workflowId, "command"),
          Object.fromEntries(secrets.slice(0, 2).entries()),
        );
  const at = services.world.now().getTime();
  await services.store.setWebhookSecrets({ workspaceId, workflowId, changes: [{ stage: "command", content }], at });
  await services.values.refresh(workspaceId);
}

/** What is kept of one stage; undefined when there is nothing. */
export function readStage(
  { values }: Sources,
  workspaceId: number,
  workflowId: string,
  stage: WebhookSecretStage,
): Opened<SecretLiterals> | undefined {
  return values.of(workspaceId).webhooks.get(workflowId)?.get(stage);
}

function describe(workflowId: string): string {
  return `the webhook secret of workflow ${workflowId}`;
}
