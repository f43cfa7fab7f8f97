import type { Database } from "better-sqlite3";
import type { RunRemoval, RunRemovalOutcome } from "../store.ts";
import { prepareAuditWrites } from "./audit-writes.ts";
import { isTerminalCode } from "./codes.ts";
import { type OldRun, prepareRunWalk } from "./delete-expired.ts";
import { answer, type Effect } from "./effect.ts";

/** Deletes one run that is over with all that belongs to it; its audit entries stay, and one more tells of this. */
export function prepareDeleteRun(db: Database): (removal: RunRemoval) => Effect<RunRemovalOutcome> {
  const audit = prepareAuditWrites(db);
  const walk = prepareRunWalk(db);
  const findRun = db.prepare<[string, number], OldRun>(
    `SELECT id, workspace_id AS workspaceId, action_id AS actionId, source, status, created_at AS createdAt,
       completed_at AS completedAt FROM runs WHERE uuid = +? AND workspace_id = +?`,
  );
  return ({ runId, audit: entry }) => {
    const run = findRun.get(runId, entry.workspaceId);
    if (!run) return answer("missing");
    if (!isTerminalCode(run.status)) return answer("active");
    walk.delete(run, Number.MAX_SAFE_INTEGER);
    audit.add(entry);
    return answer("deleted");
  };
}
