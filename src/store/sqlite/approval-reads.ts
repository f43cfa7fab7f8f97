import type { Database } from "better-sqlite3";
import type { ApprovalStatus } from "../../contract/approval.ts";
import type { ApprovalRecord, AuditRecord } from "../store.ts";

type ApprovalRow = Omit<ApprovalRecord, "inputs" | "iteration"> & { inputs: string; iteration: string | null };
type Filter = { workspaceId: number; status?: ApprovalStatus; limit: number; offset: number };

export type ApprovalReads = {
  listRunApprovals: (runId: string) => ApprovalRecord[];
  findApproval: (workspaceId: number, approvalId: string) => ApprovalRecord | null;
  listApprovals: (filter: Filter) => { approvals: ApprovalRecord[]; total: number };
  listAudit: (workspaceId: number, limit: number) => AuditRecord[];
};

const columns = `p.uuid AS id, p.workspace_id AS workspaceId, r.uuid AS runId, a.slug AS actionSlug, p.step_id AS stepId,
  p.iteration, p.status, p.redacted_count AS redactedCount, p.created_at AS createdAt, p.expires_at AS expiresAt,
  p.decided_at AS decidedAt, p.user_id AS userId, p.decided_via AS decidedVia, p.comment, p.description, p.inputs`;
const parents = "JOIN runs r ON r.id = p.run_id LEFT JOIN actions a ON a.id = r.action_id";

/** Reads of requests and of the audit log. */
export function prepareApprovalReads(db: Database): ApprovalReads {
  const ofRun = db.prepare<[string], ApprovalRow>(
    `SELECT ${columns} FROM approvals p ${parents} WHERE p.run_id = (SELECT id FROM runs WHERE uuid = +?) ORDER BY p.id DESC`,
  );
  const byUuid = db.prepare<[string, number], ApprovalRow>(
    `SELECT ${columns} FROM approvals p ${parents} WHERE p.uuid = ? AND p.workspace_id = ?`,
  );
  const pages = {
    any: preparePage(db, "approvals p WHERE p.workspace_id = @workspaceId"),
    pending: preparePage(
      db,
      "approvals p INDEXED BY approvals_pending_by_workspace WHERE p.workspace_id = @workspaceId AND p.status = 'pending'",
    ),
    decided: preparePage(db, "approvals p WHERE p.workspace_id = @workspaceId AND p.status = @status"),
  };
  const audit = db.prepare<[number, number], AuditRecord>(
    `SELECT id, workspace_id AS workspaceId, event, decision, run_id AS runId, approval_id AS approvalId,
       user_id AS userId, decided_via AS decidedVia, comment, created_at AS createdAt
     FROM audit WHERE workspace_id = ? ORDER BY id DESC LIMIT ?`,
  );
  return {
    listRunApprovals: (runId) => ofRun.all(runId).map(decode),
    findApproval(workspaceId, approvalId) {
      const row = byUuid.get(approvalId, workspaceId);
      return row ? decode(row) : null;
    },
    listApprovals(filter) {
      const { status } = filter;
      return pages[status === undefined ? "any" : status === "pending" ? "pending" : "decided"](filter);
    },
    listAudit: (workspaceId, limit) => audit.all(workspaceId, limit),
  };
}

/**
 * Requests of `chosen`, newest first, and how many there are. The page is cut before anything is joined. Pending ones are
 * few among many, and screens ask for them again and again: they have an index of their own.
 */
function preparePage(db: Database, chosen: string): ApprovalReads["listApprovals"] {
  const list = db.prepare<[object], ApprovalRow>(
    `SELECT ${columns} FROM (SELECT p.id FROM ${chosen} ORDER BY p.id DESC LIMIT @limit OFFSET @offset) page
       CROSS JOIN approvals p ON p.id = page.id ${parents} ORDER BY p.id DESC`,
  );
  const count = db.prepare<[object], { n: number }>(`SELECT COUNT(*) AS n FROM ${chosen}`);
  return (filter) => ({ approvals: list.all(filter).map(decode), total: count.get(filter)?.n ?? 0 });
}

function decode(row: ApprovalRow): ApprovalRecord {
  return {
    ...row,
    iteration: row.iteration === null ? null : JSON.parse(row.iteration),
    inputs: JSON.parse(row.inputs),
  };
}
