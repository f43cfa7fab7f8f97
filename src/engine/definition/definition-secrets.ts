import type { Json } from "../../contract/json.ts";
import type { WorkflowDefinition, WorkflowNode } from "../../contract/workflow.ts";

const hidden = "[REDACTED]";

/** A definition as callers read it: a trigger's literal secrets are hidden; `{{secret.NAME}}` tells nothing. */
export function hideSecrets(definition: WorkflowDefinition): WorkflowDefinition {
  return mapSecrets(definition, (secret) => (typeof secret === "string" && !secret.includes("{{") ? hidden : secret));
}

/** A definition that was read, changed and saved keeps the secrets that it was not shown. */
export function keepSecrets(definition: WorkflowDefinition, current: WorkflowDefinition): WorkflowDefinition {
  return mapSecrets(definition, (secret, { id }, index) => {
    if (secret !== hidden) return secret;
    const before = current.nodes.find((node) => node.id === id)?.data ?? {};
    const list = before["secrets"];
    return (index === null ? before["secret"] : Array.isArray(list) ? list[index] : undefined) ?? secret;
  });
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
