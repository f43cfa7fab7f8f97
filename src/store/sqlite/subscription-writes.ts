import type { Database } from "better-sqlite3";
import type { TriggerStore } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

/** A new version's trigger, its config as a JSON text. */
export type SubscriptionInsert = { id: string; kind: string; config: string; userId: string };

export type SubscriptionWrites = {
  /** Has a workflow listen to what its new version says, and to nothing else; null: to nothing. */
  keep: (workflowId: number, place: { workspaceId: number; at: number }, trigger: SubscriptionInsert | null) => void;
  /** The workflow is gone. */
  archive: (workflowId: number, at: number) => void;
};

/**
 * What beats at other times begins anew. A paused subscription stays paused, as a paused action does; one that was
 * archived comes back under its id.
 */
const begins = `status = 'archived'
  OR json_extract(config, '$.mode') IS NOT json_extract(excluded.config, '$.mode')
  OR json_extract(config, '$.seconds') IS NOT json_extract(excluded.config, '$.seconds')`;

export function prepareSubscriptionWrites(db: Database): SubscriptionWrites {
  const archive = db.prepare(
    `UPDATE subscriptions SET status = 'archived', changed_at = @at
     WHERE workflow_id = @workflowId AND kind <> @kind AND status <> 'archived'`,
  );
  const upsert = db.prepare(
    `INSERT INTO subscriptions
       (uuid, workspace_id, workflow_id, kind, status, config, user_id, activated_at, changed_at)
     VALUES (@id, @workspaceId, @workflowId, @kind, 'active', @config, @userId, @at, @at)
     ON CONFLICT (workflow_id, kind) DO UPDATE SET config = excluded.config, user_id = excluded.user_id,
       activated_at = CASE WHEN ${begins} THEN excluded.activated_at ELSE activated_at END,
       changed_at = excluded.changed_at, status = CASE status WHEN 'paused' THEN 'paused' ELSE 'active' END`,
  );
  // A poll that comes back after that begins anew: what happened meanwhile is the past.
  const forget = db.prepare(
    `DELETE FROM polls WHERE subscription_id IN
       (SELECT id FROM subscriptions WHERE workflow_id = ? AND kind = 'connector' AND status = 'archived')`,
  );
  return {
    keep(workflowId, { workspaceId, at }, trigger) {
      archive.run({ workflowId, kind: trigger?.kind ?? "", at });
      forget.run(workflowId);
      if (trigger) upsert.run({ ...trigger, workflowId, workspaceId, at });
    },
    archive(workflowId, at) {
      archive.run({ workflowId, kind: "", at });
      forget.run(workflowId);
    },
  };
}

export type SubscriptionChange = Parameters<TriggerStore["setSubscriptionStatus"]>[0];

/** Pauses or resumes a subscription; one that is resumed has a clean slate. False when there is none. */
export function prepareSetSubscriptionStatus(db: Database): (change: SubscriptionChange) => Effect<boolean> {
  const update = db.prepare<[SubscriptionChange], { workflowId: number }>(
    `UPDATE subscriptions SET changed_at = @at,
       activated_at = CASE WHEN status = 'paused' AND @status = 'active' THEN @at ELSE activated_at END, status = @status
     WHERE uuid = @id AND workspace_id = @workspaceId AND status <> 'archived' RETURNING workflow_id AS workflowId`,
  );
  const forgive = db.prepare<[number]>("UPDATE incidents SET streak = 0 WHERE workflow_id = ? AND closed_at IS NULL");
  return (change) => {
    const found = update.get(change);
    if (found && change.status === "active") forgive.run(found.workflowId);
    return answer(found !== undefined);
  };
}
