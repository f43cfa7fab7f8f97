import type { Approval, AuditEntry, Incident } from "../../contract/approval.ts";
import type { ApprovalRecord, AuditRecord, IncidentRecord } from "../../store/store.ts";
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

/** A workflow's failures from the first up to its next success (contract 5). */
export function presentIncident(incident: IncidentRecord): Incident {
  return {
    id: incident.id,
    workflow_id: incident.workflowId,
    workflow_name: incident.workflowName,
    action_slug: incident.actionSlug,
    status: incident.closedAt === null ? "open" : "closed",
    runs: incident.runs,
    opened_at: new Date(incident.openedAt).toISOString(),
    closed_at: isoTime(incident.closedAt),
  };
}
