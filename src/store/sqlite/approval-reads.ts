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
  const ofWorkspace = "p.workspace_id = @workspaceId AND (@status IS NULL OR p.status = @status)";
  const list = db.prepare<[object], ApprovalRow>(
    `SELECT ${columns} FROM approvals p ${parents} WHERE ${ofWorkspace} ORDER BY p.id DESC LIMIT @limit OFFSET @offset`,
  );
  const count = db.prepare<[object], { n: number }>(`SELECT COUNT(*) AS n FROM approvals p WHERE ${ofWorkspace}`);
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
    listApprovals({ status = null, ...filter }: { status?: ApprovalStatus | null } & Omit<Filter, "status">) {
      const named = { ...filter, status };
      return { approvals: list.all(named).map(decode), total: count.get(named)?.n ?? 0 };
    },
    listAudit: (workspaceId, limit) => audit.all(workspaceId, limit),
  };
}

function decode(row: ApprovalRow): ApprovalRecord {
  return {
    ...row,
    iteration: row.iteration === null ? null : JSON.parse(row.iteration),
    inputs: JSON.parse(row.inputs),
  };
}
