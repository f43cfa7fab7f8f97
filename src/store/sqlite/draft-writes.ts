import type { Database } from "better-sqlite3";
import type { DeletedWorkflow, NewWorkflow, SaveDraft, SavedDraft } from "../store.ts";
import { answer, type Effect } from "./effect.ts";
import { prepareWebhookSecretWrites } from "./webhook-secret-rows.ts";
import { prepareSubscriptionWrites } from "./subscription-writes.ts";

/** What the definition says of its workflow, and its JSON text. */
type Encoded = { definition: string; name: string; description: string | null };
export type WorkflowInsert = Omit<NewWorkflow, "definition"> & Encoded;
export type DraftUpdate = Omit<SaveDraft, "definition"> & Encoded;
export type WorkflowDeletion = { workspaceId: number; workflowId: string; at: number };

export function encodeDraft<T extends Pick<NewWorkflow, "definition">>({
  definition,
  ...input
}: T): Omit<T, "definition"> & Encoded {
  const { name, description = null } = definition;
  return { ...input, definition: JSON.stringify(definition), name, description };
}

/** Makes a workflow of which there is only a draft. */
export function prepareCreateWorkflow(db: Database): (input: WorkflowInsert) => Effect<null> {
  const insert = db.prepare(
    `INSERT INTO workflows (uuid, workspace_id, name, type, description, created_at, updated_at)
     VALUES (@id, @workspaceId, @name, @type, @description, @at, @at)`,
  );
  const drafts = prepareDraftWrites(db);
  const writeSecrets = prepareWebhookSecretWrites(db);
  return (input) => {
    drafts.put(Number(insert.run(input).lastInsertRowid), input.definition);
    writeSecrets(input.id, input);
    return answer(null);
  };
}

/** Replaces a draft, unless it is at another revision than the caller has seen. */
export function prepareSaveDraft(db: Database): (input: DraftUpdate) => Effect<SavedDraft> {
  const find = db.prepare<[string, number], { id: number; revision: number }>(
    `SELECT w.id, d.revision FROM workflows w JOIN drafts d ON d.workflow_id = w.id
     WHERE w.uuid = ? AND w.workspace_id = ? AND w.deleted_at IS NULL`,
  );
  const update = db.prepare(
    "UPDATE workflows SET name = @name, description = @description, updated_at = @at WHERE id = @id",
  );
  const drafts = prepareDraftWrites(db);
  const writeSecrets = prepareWebhookSecretWrites(db);
  return ({ workflowId, workspaceId, expectedRevision, definition, name, description, at, webhookSecrets }) => {
    const draft = find.get(workflowId, workspaceId);
    if (!draft) return answer({ kind: "missing" });
    if (expectedRevision !== null && expectedRevision !== draft.revision) {
      return answer({ kind: "conflict", revision: draft.revision });
    }
    const revision = drafts.put(draft.id, definition);
    writeSecrets(workflowId, { workspaceId, webhookSecrets, at });
    update.run({ id: draft.id, name, description, at });
    return answer({ kind: "saved", revision });
  };
}

/** Deletes a workflow, and with it its action, whose slug it keeps; null when there is none. */
export function prepareDeleteWorkflow(db: Database): (input: WorkflowDeletion) => Effect<DeletedWorkflow | null> {
  const remove = db.prepare<[WorkflowDeletion], { id: number }>(
    `UPDATE workflows SET deleted_at = @at, updated_at = @at
     WHERE uuid = @workflowId AND workspace_id = @workspaceId AND deleted_at IS NULL RETURNING id`,
  );
  const slug = db.prepare<[number], { slug: string }>("SELECT slug FROM actions WHERE workflow_id = ?");
  const subscriptions = prepareSubscriptionWrites(db);
  return (input) => {
    const row = remove.get(input);
    if (row) subscriptions.archive(row.id, input.at);
    return answer(row ? { actionSlug: slug.get(row.id)?.slug ?? null } : null);
  };
}

export type DraftWrites = {
  /** Makes or replaces a workflow's draft; its revision, which stays where nothing changes. */
  put: (workflowId: number, definition: string) => number;
  /** Null when there is none. */
  revisionOf: (workflowId: number) => number | null;
};

export function prepareDraftWrites(db: Database): DraftWrites {
  const upsert = db.prepare<[object], { revision: number }>(
    `INSERT INTO drafts (workflow_id, revision, definition) VALUES (@workflowId, 1, @definition)
     ON CONFLICT (workflow_id) DO UPDATE SET revision = revision + (definition <> excluded.definition),
       definition = excluded.definition
     RETURNING revision`,
  );
  const select = db.prepare<[number], { revision: number }>("SELECT revision FROM drafts WHERE workflow_id = ?");
  return {
    put(workflowId, definition) {
      const row = upsert.get({ workflowId, definition });
      if (!row) throw new Error(`The draft of workflow ${workflowId} was not stored`);
      return row.revision;
    },
    revisionOf: (workflowId) => select.get(workflowId)?.revision ?? null,
  };
}
