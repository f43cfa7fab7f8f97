import type { Database } from "better-sqlite3";
import type { WebhookSecretChange, WebhookSecretRecord } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export type WebhookSecretsUpdate = {
  workspaceId: number;
  workflowId: string;
  changes: readonly WebhookSecretChange[];
  at: number;
};

/** What a save or a publish writes of them, if anything. */
type WithSecrets = { workspaceId: number; webhookSecrets?: readonly WebhookSecretChange[] | undefined; at: number };

/** Sets and removes a workflow's webhook secrets inside whatever transaction is open. */
export function prepareWebhookSecretWrites(db: Database): (workflowId: string, update: WithSecrets) => void {
  const upsert = db.prepare(
    `INSERT INTO webhook_secrets (workspace_id, workflow_id, stage, content, updated_at)
     VALUES (@workspaceId, @workflowId, @stage, @content, @at)
     ON CONFLICT (workspace_id, workflow_id, stage) DO UPDATE SET content = excluded.content,
       updated_at = excluded.updated_at`,
  );
  const remove = db.prepare("DELETE FROM webhook_secrets WHERE workspace_id = ? AND workflow_id = ? AND stage = ?");
  return (workflowId, { workspaceId, webhookSecrets = [], at }) => {
    for (const { stage, content } of webhookSecrets) {
      if (content === null) remove.run(workspaceId, workflowId, stage);
      else upsert.run({ workspaceId, workflowId, stage, content, at });
    }
  };
}

export function prepareSetWebhookSecrets(db: Database): (update: WebhookSecretsUpdate) => Effect<null> {
  const write = prepareWebhookSecretWrites(db);
  return ({ workspaceId, workflowId, changes, at }) => {
    write(workflowId, { workspaceId, webhookSecrets: changes, at });
    return answer(null);
  };
}

export function prepareListWebhookSecrets(db: Database) {
  const select = db.prepare<{ workspaceId: number | null }, WebhookSecretRecord>(
    `SELECT workspace_id AS workspaceId, workflow_id AS workflowId, stage, content FROM webhook_secrets
     WHERE @workspaceId IS NULL OR workspace_id = @workspaceId`,
  );
  return (workspaceId: number | null): WebhookSecretRecord[] => select.all({ workspaceId });
}
