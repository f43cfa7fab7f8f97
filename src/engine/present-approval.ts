import type { Approval, AuditEntry } from "../contract/approval.ts";
import type { ApprovalRecord, AuditRecord } from "../store/store.ts";
import { isoTime } from "./present-time.ts";

/** A request as callers read it (contract 7). */
export function presentApproval(request: ApprovalRecord): Approval {
  return {
    id: request.id,
    run_id: request.runId,
    action_slug: request.actionSlug,
    step_id: request.stepId,
    iteration: request.iteration,
    status: request.status,
    inputs: request.inputs,
    redacted_count: request.redactedCount,
    description: request.description,
    comment: request.comment,
    user_id: request.userId,
    decided_via: request.decidedVia,
    created_at: new Date(request.createdAt).toISOString(),
    expires_at: new Date(request.expiresAt).toISOString(),
    decided_at: isoTime(request.decidedAt),
  };
}

/** A line of the audit log (contract 7). */
export function presentAudit(entry: AuditRecord): AuditEntry {
  return {
    id: String(entry.id),
    event: entry.event,
    decision: entry.decision,
    run_id: entry.runId,
    approval_id: entry.approvalId,
    user_id: entry.userId,
    decided_via: entry.decidedVia,
    comment: entry.comment,
    created_at: new Date(entry.createdAt).toISOString(),
  };
}
