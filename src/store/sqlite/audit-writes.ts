import type { Database } from "better-sqlite3";
import type { NewAuditEntry } from "../store.ts";
import { answer, type Effect } from "./effect.ts";

export function prepareAuditWrites(db: Database): { add: (entry: NewAuditEntry) => void } {
  const insert = db.prepare(
    `INSERT INTO audit (workspace_id, event, decision, run_id, approval_id, user_id, decided_via, comment, created_at)
     VALUES (@workspaceId, @event, @decision, @runId, @approvalId, @userId, @decidedVia, @comment, @createdAt)`,
  );
  return { add: (entry) => void insert.run(entry) };
}

export function prepareAddAudit(db: Database): (entry: NewAuditEntry) => Effect<null> {
  const audit = prepareAuditWrites(db);
  return (entry) => {
    audit.add(entry);
    return answer(null);
  };
}
