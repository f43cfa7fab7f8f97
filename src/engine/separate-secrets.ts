import { isDeepStrictEqual } from "node:util";
import type { Issue, WorkflowDefinition } from "../contract/workflow.ts";
import type { WebhookSecretChange, WebhookSecretStage } from "../store/store.ts";
import { type SecretLiterals, hiddenSecret, takeSecrets } from "./definition/definition-secrets.ts";
import { errorAt } from "./definition/issue.ts";
import { owners, sealValue } from "./sealed-value.ts";
import type { Services } from "./services.ts";
import { readStage } from "./webhook-secrets.ts";

type Sources = Pick<Services, "values">;

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
