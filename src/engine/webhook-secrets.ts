import { isDeepStrictEqual } from "node:util";
import type { Issue, WorkflowDefinition, WorkflowNode } from "../contract/workflow.ts";
import type { WebhookSecretChange, WebhookSecretStage } from "../store/store.ts";
import { type SecretLiterals, hiddenSecret, secretsOfTrigger, takeSecrets } from "./definition/definition-secrets.ts";
import { errorAt } from "./definition/issue.ts";
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
      : sealValue(services.cipher, owners.webhook(workspaceId, workflowId, "command"), { ...secrets.slice(0, 2) });
  const at = services.world.now().getTime();
  await services.store.setWebhookSecrets({ workspaceId, workflowId, changes: [{ stage: "command", content }], at });
  await services.values.refresh(workspaceId);
}

/** A definition as it may be stored, and its literal webhook secrets beside it. */
export type SeparatedSecrets = {
  definition: WorkflowDefinition;
  literals: SecretLiterals;
  /** Secrets that were hidden when the definition was read, and that nobody has any more. */
  issues: Issue[];
};

/**
 * Moves literal webhook secrets out of a definition (contract 2). A hidden one stands for that of the workflow's draft or
 * deployed definition, in the order of `keepFrom`.
 */
export function separateSecrets(
  services: Sources,
  workspaceId: number,
  workflowId: string | null,
  definition: WorkflowDefinition,
  keepFrom: readonly WebhookSecretStage[],
): SeparatedSecrets {
  const stages =
    workflowId === null ? [] : keepFrom.map((stage) => readStage(services, workspaceId, workflowId, stage));
  const kept = stages.flatMap((opened) => (opened && "value" in opened ? [opened.value] : []));
  const separated = takeSecrets(definition, Object.assign({}, ...kept.toReversed()));
  const problem = stages.flatMap((opened) => (opened && "problem" in opened ? [opened.problem] : []))[0];
  const why = problem === undefined ? "and there is none to keep" : `and the one to keep can't be opened: ${problem}`;
  const issues = separated.lost.map(({ nodeIndex, pointer }) => {
    const place = { path: `/nodes/${nodeIndex}${pointer}` };
    const message = `The secret reads ${hiddenSecret} ${why}. Write the true one, or {{secret.NAME}}`;
    return errorAt(place, "hidden_secret", message);
  });
  return { definition: separated.definition, literals: separated.literals, issues };
}

/** What is written with a definition, for each of its stages: its literals, sealed, or that it has none. */
export function sealLiterals(
  { cipher }: Pick<Services, "cipher">,
  workspaceId: number,
  workflowId: string,
  literals: SecretLiterals,
  stages: readonly WebhookSecretStage[],
): WebhookSecretChange[] {
  const isEmpty = Object.keys(literals).length === 0;
  return stages.map((stage) => {
    const owner = owners.webhook(workspaceId, workflowId, stage);
    return { stage, content: isEmpty ? null : sealValue(cipher, owner, literals) };
  });
}

/** Whether the deployed definition has these literal secrets; false too when what it has can't be opened. */
export function hasLiterals(
  services: Sources,
  workspaceId: number,
  workflowId: string,
  literals: SecretLiterals,
): boolean {
  const deployed = readStage(services, workspaceId, workflowId, "deployed") ?? { value: {} };
  return "value" in deployed && isDeepStrictEqual({ ...deployed.value }, { ...literals });
}

function readStage(
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
