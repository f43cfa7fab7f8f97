import type { Database } from "better-sqlite3";
import { ApiError } from "../../contract/errors.ts";
import type { VersionInsert } from "./version-insert.ts";

/** The workflow to which a slug belongs; it keeps the slug when it is deleted. */
export type SlugOwner = { workflowId: number; isDeleted: boolean };

/** What a publish does to the workflow's action. */
export type ActionWrites = {
  findOwner: (workspaceId: number, slug: string) => SlugOwner | null;
  /** Creates the action, or brings it up to date; a workflow that never had a slug has none. */
  save: (workflowId: number, input: VersionInsert) => void;
};

export function prepareActionWrites(db: Database): ActionWrites {
  const owner = db.prepare<[number, string], { workflowId: number; deletedAt: number | null }>(
    `SELECT w.id AS workflowId, w.deleted_at AS deletedAt FROM actions a JOIN workflows w ON w.id = a.workflow_id
     WHERE a.workspace_id = ? AND a.slug = ?`,
  );
  const slugOf = db.prepare<[number], { slug: string }>("SELECT slug FROM actions WHERE workflow_id = ?");
  const upsert = db.prepare(
    `INSERT INTO actions (workspace_id, slug, name, description, status, approval_policy, workflow_id, created_at, updated_at)
     VALUES (@workspaceId, @slug, @name, @description, 'active', @approvalPolicy, @workflowId, @at, @at)
     ON CONFLICT (workflow_id) DO UPDATE SET name = excluded.name, description = excluded.description,
       approval_policy = excluded.approval_policy, updated_at = excluded.updated_at`,
  );
  return {
    findOwner(workspaceId, slug) {
      const row = owner.get(workspaceId, slug);
      return row ? { workflowId: row.workflowId, isDeleted: row.deletedAt !== null } : null;
    },
    save(workflowId, input) {
      const has = slugOf.get(workflowId)?.slug ?? null;
      const slug = input.slug ?? has;
      if (slug === null) return;
      if (has !== null && slug !== has) throw new ApiError("BAD_REQUEST", "An action's slug cannot be changed");
      upsert.run({ ...input, slug, workflowId });
    },
  };
}
