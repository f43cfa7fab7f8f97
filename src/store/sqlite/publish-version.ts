import type { Database } from "better-sqlite3";
import { ApiError } from "../../contract/errors.ts";
import type { PublishedVersion, SeenState } from "../store.ts";
import { prepareActionWrites } from "./action-writes.ts";
import { prepareAuditWrites } from "./audit-writes.ts";
import { prepareDraftWrites } from "./draft-writes.ts";
import { answer, type Effect } from "./effect.ts";
import { prepareSubscriptionWrites } from "./subscription-writes.ts";
import { prepareWebhookSecretWrites } from "./webhook-secret-rows.ts";
import type { VersionInsert } from "./version-insert.ts";

/** Makes a workflow's next version the one that runs. */
export function preparePublishVersion(db: Database): (input: VersionInsert) => Effect<PublishedVersion> {
  const target = prepareTarget(db);
  const versions = prepareVersionWrites(db);
  const actions = prepareActionWrites(db);
  const drafts = prepareDraftWrites(db);
  const audit = prepareAuditWrites(db);
  const writeSecrets = prepareWebhookSecretWrites(db);
  const subscriptions = prepareSubscriptionWrites(db);
  return (input) => {
    const slugOwner = input.slug === null ? null : actions.findOwner(input.workspaceId, input.slug);
    const named = target.find(input, slugOwner) ?? target.create(input);
    const revision = drafts.revisionOf(named.id);
    const workflow = slugOwner?.isDeleted ? target.restore(named, slugOwner.workflowId) : named;
    if (slugOwner && slugOwner.workflowId !== workflow.id) {
      throw new ApiError("SLUG_TAKEN", `The slug ${input.slug} belongs to another workflow; choose a different one`);
    }
    target.update(workflow.id, input);
    const archived = versions.archive(workflow.id);
    assertSeen(input.seen, { revision, deployedVersionId: archived?.uuid ?? null, isDeleted: named.isDeleted === 1 });
    const archivedVersion = archived?.version ?? null;
    const version = versions.insert(workflow.id, input);
    actions.save(workflow.id, input);
    drafts.put(workflow.id, input.definition);
    subscriptions.keep(workflow.id, input, input.trigger);
    if (input.audit) audit.add(input.audit);
    writeSecrets(workflow.uuid, input);
    return answer({ workflowId: workflow.uuid, version, versionId: input.versionId, archivedVersion });
  };
}

/**
 * Throws when a publish was decided upon another draft or another deployed version than there is, or upon a workflow that
 * was deleted since: a deletion that was answered is not undone by a publish that had begun before.
 */
function assertSeen(
  seen: SeenState | undefined,
  now: { revision: number | null; deployedVersionId: string | null; isDeleted: boolean },
) {
  if (!seen) return;
  const isSame = seen.revision === now.revision && seen.deployedVersionId === now.deployedVersionId;
  if (isSame && !now.isDeleted) return;
  throw new ApiError("CONFLICT", "The workflow was saved or published meanwhile; read it again, then publish it");
}

type Workflow = { id: number; uuid: string; isDeleted?: 0 | 1 };

function prepareTarget(db: Database) {
  const byUuid = db.prepare<[string, number], Workflow>(
    "SELECT id, uuid, deleted_at IS NOT NULL AS isDeleted FROM workflows WHERE uuid = ? AND workspace_id = ?",
  );
  const byId = db.prepare<[number], Workflow>("SELECT id, uuid FROM workflows WHERE id = ?");
  const insert = db.prepare(
    `INSERT INTO workflows (uuid, workspace_id, name, type, created_at, updated_at)
     VALUES (@newWorkflowId, @workspaceId, @name, @type, @at, @at)`,
  );
  const hasVersion = db.prepare<[number]>("SELECT 1 FROM versions WHERE workflow_id = ? LIMIT 1");
  const deleteDraft = db.prepare<[number]>("DELETE FROM drafts WHERE workflow_id = ?");
  const deleteWorkflow = db.prepare<[number]>("DELETE FROM workflows WHERE id = ?");
  const update = db.prepare(
    `UPDATE workflows SET name = @name, description = @description, source_path = COALESCE(@sourcePath, source_path),
       updated_at = @at, deleted_at = NULL WHERE id = @id`,
  );
  return {
    /** The workflow that was named, or the deleted one whose slug comes back (contract 2). */
    find(input: VersionInsert, slugOwner: { workflowId: number; isDeleted: boolean } | null): Workflow | undefined {
      if (input.workflowId === null) return slugOwner?.isDeleted ? byId.get(slugOwner.workflowId) : undefined;
      const found = byUuid.get(input.workflowId, input.workspaceId);
      if (!found) throw new ApiError("WORKFLOW_NOT_FOUND", `There is no workflow ${input.workflowId}`);
      return found;
    },
    create(input: VersionInsert): Workflow {
      return { id: Number(insert.run(input).lastInsertRowid), uuid: input.newWorkflowId };
    },
    /** A workflow that has nothing but a draft goes into the deleted one whose slug it takes; any other stays itself. */
    restore(named: Workflow, deletedId: number): Workflow {
      const deleted = named.id === deletedId || hasVersion.get(named.id) ? undefined : byId.get(deletedId);
      if (!deleted) return named;
      deleteDraft.run(named.id);
      deleteWorkflow.run(named.id);
      return deleted;
    },
    /** What the definition says of its workflow; it brings a deleted one back, and keeps the path when none is told. */
    update(id: number, { name, description, sourcePath, at }: VersionInsert): void {
      update.run({ id, name, description, sourcePath, at });
    },
  };
}

function prepareVersionWrites(db: Database) {
  const archive = db.prepare<[number], { version: number; uuid: string }>(
    "UPDATE versions SET status = 'archived' WHERE workflow_id = ? AND status = 'deployed' RETURNING version, uuid",
  );
  const insert = db.prepare<[object], { version: number }>(
    `INSERT INTO versions (uuid, workflow_id, version, status, published_at, definition, input_schema, output_schema)
     SELECT @versionId, @workflowId, COALESCE(MAX(version), 0) + 1, 'deployed', @at, @definition, @inputSchema, @outputSchema
     FROM versions WHERE workflow_id = @workflowId RETURNING version`,
  );
  return {
    /** The version that ran until now. */
    archive: (workflowId: number) => archive.get(workflowId) ?? null,
    /** The number of the new version. */
    insert(workflowId: number, input: VersionInsert): number {
      const row = insert.get({ ...input, workflowId });
      if (!row) throw new Error(`Version ${input.versionId} was not stored`);
      return row.version;
    },
  };
}
