import type { ConnectionRecord, Store, WebhookSecretStage } from "../store/store.ts";
import type { SecretLiterals } from "./definition/definition-secrets.ts";
import type { Cipher } from "./redaction/cipher.ts";
import { hiddenValues } from "./oauth/token-set.ts";
import { type Opened, SealedValueError, openValue, owners } from "./sealed-value.ts";

/** A connection as it is stored, and its credentials. */
export type KeptConnection = { record: ConnectionRecord; secrets: Opened<Record<string, string>> };

/** What a workspace has of values and credentials, opened where that was possible. */
export type KeptValues = {
  variables: ReadonlyMap<string, string>;
  secrets: ReadonlyMap<string, Opened<string>>;
  /** By id. */
  connections: ReadonlyMap<string, KeptConnection>;
  /** By the workflow's id and the stage. */
  webhooks: ReadonlyMap<string, ReadonlyMap<WebhookSecretStage, Opened<SecretLiterals>>>;
  /** What can't be opened, in words. */
  problems: readonly string[];
};

type Building = {
  variables: Map<string, string>;
  secrets: Map<string, Opened<string>>;
  connections: Map<string, KeptConnection>;
  webhooks: Map<string, Map<WebhookSecretStage, Opened<SecretLiterals>>>;
  problems: string[];
};

export const noValues: KeptValues = empty();

/** Reads and opens the values of a workspace, or of all that have some. Never throws for what can't be opened. */
export async function openValues(
  store: Store,
  cipher: Cipher,
  workspaceId: number | null,
): Promise<Map<number, KeptValues>> {
  const [connections, variables, secrets, webhooks] = await Promise.all([
    store.listConnections(workspaceId),
    store.listVariables(workspaceId),
    store.listSecrets(workspaceId),
    store.listWebhookSecrets(workspaceId),
  ]);
  const found = new Map<number, Building>();
  const at = (id: number): Building => {
    const values = found.get(id) ?? empty();
    found.set(id, values);
    return values;
  };
  const note = <Value>(id: number, what: string, opened: Opened<Value>): Opened<Value> => {
    if ("problem" in opened) at(id).problems.push(new SealedValueError(what, opened.problem).message);
    return opened;
  };
  for (const { workspaceId: id, name, value } of variables) at(id).variables.set(name, value);
  for (const { workspaceId: id, name, value } of secrets) {
    const opened = openValue<string>(cipher, owners.secret(id, name), value);
    at(id).secrets.set(name, note(id, `the secret ${name}`, opened));
  }
  for (const record of connections) {
    const { workspaceId: id, name } = record;
    const opened = openValue<Record<string, string>>(cipher, owners.connection(id, record.id), record.secrets);
    at(id).connections.set(record.id, { record, secrets: note(id, `the connection ${name}`, opened) });
  }
  for (const { workspaceId: id, workflowId, stage, content } of webhooks) {
    const opened = openValue<SecretLiterals>(cipher, owners.webhook(id, workflowId, stage), content);
    const stages = at(id).webhooks.get(workflowId) ?? new Map<WebhookSecretStage, Opened<SecretLiterals>>();
    at(id).webhooks.set(workflowId, stages.set(stage, note(id, `the webhook secrets of ${workflowId}`, opened)));
  }
  return found;
}

/** Every value that redaction has to hide, by what it becomes. */
export function secretsIn(values: KeptValues): { secrets: string[]; workspaceSecrets: string[] } {
  const credentials = [...values.connections.values()].map(({ secrets }) => secrets);
  const literals = [...values.webhooks.values()].flatMap((stages) => [...stages.values()]);
  return {
    secrets: [...credentials, ...literals].flatMap((opened) => ("value" in opened ? hiddenValues(opened.value) : [])),
    workspaceSecrets: [...values.secrets.values()].flatMap((opened) => ("value" in opened ? [opened.value] : [])),
  };
}

function empty(): Building {
  return { variables: new Map(), secrets: new Map(), connections: new Map(), webhooks: new Map(), problems: [] };
}
