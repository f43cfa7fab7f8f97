import type { Json } from "../../contract/json.ts";
import type { WorkflowDefinition, WorkflowNode } from "../../contract/workflow.ts";

/** What stands in a stored definition, and in one that is read, where a literal secret was written. */
export const hiddenSecret = "[REDACTED]";

/** Literal secrets of a definition's triggers by their place: `/nodes/<id>/secret`, `/nodes/<id>/secrets/0`. */
export type SecretLiterals = Record<string, string>;

/** A definition as callers read it: a trigger's literal secrets are hidden; `{{secret.NAME}}` tells nothing. */
export function hideSecrets(definition: WorkflowDefinition): WorkflowDefinition {
  return mapSecrets(definition, (secret) => (isLiteral(secret) ? hiddenSecret : secret));
}

/**
 * Takes the literal secrets out of a definition, so that it can be stored (contract 2). A definition that was read,
 * changed and saved keeps the secrets that it was not shown: `kept` are those of the one that it replaces. `lost` are
 * the places whose secret nobody has.
 */
export function takeSecrets(
  definition: WorkflowDefinition,
  kept: Readonly<SecretLiterals>,
): { definition: WorkflowDefinition; literals: SecretLiterals; lost: { nodeIndex: number; pointer: string }[] } {
  const literals: SecretLiterals = {};
  const lost: { nodeIndex: number; pointer: string }[] = [];
  const stored = mapSecrets(definition, (secret, node, index) => {
    const place = secretPlace(node.id, index);
    const literal = secret === hiddenSecret ? kept[place] : secret;
    if (literal !== undefined && !isLiteral(literal)) return secret;
    if (literal !== undefined) literals[place] = literal;
    else lost.push({ nodeIndex: definition.nodes.indexOf(node), pointer: `/data${secretPointer(index)}` });
    return hiddenSecret;
  });
  return { definition: stored, literals, lost };
}

/** A trigger's secrets as its definition says them, each with the place of its literal: `secret` first. */
export function secretsOfTrigger(node: Pick<WorkflowNode, "id" | "data">): { text: string; place: string }[] {
  const { ["secret"]: secret, ["secrets"]: secrets } = node.data;
  const several = Array.isArray(secrets) ? secrets.map((text, index) => ({ text, index })) : [];
  return [{ text: secret, index: null }, ...several].flatMap(({ text, index }) =>
    typeof text === "string" ? [{ text, place: secretPlace(node.id, index) }] : [],
  );
}

function secretPlace(nodeId: string, index: number | null): string {
  return `/nodes/${nodeId}${secretPointer(index)}`;
}

function secretPointer(index: number | null): string {
  return index === null ? "/secret" : `/secrets/${index}`;
}

function isLiteral(secret: Json): secret is string {
  return typeof secret === "string" && !secret.includes("{{");
}

/** `index` is the place in a list of secrets; null for a single one. */
function mapSecrets(
  definition: WorkflowDefinition,
  change: (secret: Json, node: WorkflowNode, index: number | null) => Json,
): WorkflowDefinition {
  const nodes = definition.nodes.map((node) => {
    const { ["secret"]: secret, ["secrets"]: secrets } = node.data;
    if (node.type !== "trigger" || (secret === undefined && !Array.isArray(secrets))) return node;
    const changed = {
      ...(secret !== undefined && { secret: change(secret, node, null) }),
      ...(Array.isArray(secrets) && { secrets: secrets.map((one, index) => change(one, node, index)) }),
    };
    return { ...node, data: { ...node.data, ...changed } };
  });
  return { ...definition, nodes };
}
