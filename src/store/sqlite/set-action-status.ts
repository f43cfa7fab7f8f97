import type { Database } from "better-sqlite3";
import type { ActionStatus } from "../../contract/action.ts";
import { answer, type Effect } from "./effect.ts";

export type ActionChange = { workspaceId: number; slug: string; status: ActionStatus; at: number };

/** Moves an action to another status; one that is resumed has a clean slate. False when there is none. */
export function prepareSetActionStatus(db: Database): (change: ActionChange) => Effect<boolean> {
  const update = db.prepare<[ActionChange], { workflowId: number }>(
    `UPDATE actions SET status = @status, updated_at = @at WHERE workspace_id = @workspaceId AND slug = @slug
       AND workflow_id IN (SELECT id FROM workflows WHERE deleted_at IS NULL)
     RETURNING workflow_id AS workflowId`,
  );
  const forgive = db.prepare<[number]>("UPDATE incidents SET streak = 0 WHERE workflow_id = ? AND closed_at IS NULL");
  return (change) => {
    const action = update.get(change);
    if (action && change.status === "active") forgive.run(action.workflowId);
    return answer(action !== undefined);
  };
}
