import type { ApprovalStatus, DecidedVia } from "../contract/approval.ts";
import type { Iteration } from "../contract/iteration.ts";
import type { Json } from "../contract/json.ts";
import type { FreeMoment } from "./moment-store.ts";

/** The part of the store's promise that is about time and people; everybody imports it from `store.ts`. */

/** A workflow's failures from the first up to its next success. */
export type IncidentRecord = {
  id: string;
  workspaceId: number;
  workflowId: string;
  workflowName: string;
  actionSlug: string | null;
  openedAt: number;
  closedAt: number | null;
  /** Runs that failed in it. */
  runs: number;
};

/** A request for a decision on a gate: what the gate is before, and until when it can be decided. */
export type NewApproval = {
  id: string;
  /** Null for the gate before the whole run. */
  stepId: string | null;
  iteration: Iteration;
  inputs: Json;
  /** How many values were replaced in `inputs` before it was stored. */
  redactedCount: number;
  description: string | null;
  createdAt: number;
  expiresAt: number;
};

export type ApprovalRecord = NewApproval & {
  workspaceId: number;
  runId: string;
  actionSlug: string | null;
  status: ApprovalStatus;
  comment: string | null;
  userId: string | null;
  decidedVia: DecidedVia | null;
  decidedAt: number | null;
};

/** How a request is resolved; `expired` only from its expiry on, everything else only before it. */
export type ApprovalDecision = {
  approvalId: string;
  status: Exclude<ApprovalStatus, "pending">;
  userId: string | null;
  via: DecidedVia;
  comment: string | null;
};

export type NewAuditEntry = {
  workspaceId: number;
  event: string;
  decision: string | null;
  runId: string | null;
  approvalId: string | null;
  userId: string | null;
  decidedVia: DecidedVia | null;
  comment: string | null;
  createdAt: number;
};

export type AuditRecord = NewAuditEntry & { id: number };

export type ApprovalStore = {
  /**
   * Approves a pending request before its expiry, with its audit entry; the run is `running` again and its moment is
   * gone. False, and nothing changed, for everybody but the one who wins.
   */
  grantApproval(grant: Omit<ApprovalDecision, "status"> & { at: number }): Promise<boolean>;
  /** Requests of a run, newest first. */
  listRunApprovals(runId: string): Promise<ApprovalRecord[]>;
  findApproval(workspaceId: number, approvalId: string): Promise<ApprovalRecord | null>;
  /** Newest first. */
  listApprovals(filter: {
    workspaceId: number;
    status?: ApprovalStatus;
    limit: number;
    offset: number;
  }): Promise<{ approvals: ApprovalRecord[]; total: number }>;
  /** Adds an entry that stands for itself; those of decisions are written with them. */
  addAudit(entry: NewAuditEntry): Promise<void>;
  /** Newest first. */
  listAudit(workspaceId: number, limit: number): Promise<AuditRecord[]>;
  /** Newest first. */
  listIncidents(filter: { workspaceId: number; isOpen?: boolean; limit: number }): Promise<IncidentRecord[]>;
};

/**
 * What a moment is for. `child_ended`: the run was started by a step of the run that `owner` names, and is over.
 * `end_children`: a step that started runs was aborted, or the whole run is over, and they have to end with it; `owner` is
 * the step, or empty for those of all steps.
 */
export type DueKind = "wait" | "retry" | "approval" | "on_failure" | "child_ended" | "end_children";

/** One moment of a run: `owner` is the step in its iteration, or the request. */
export type DueOwner = { kind: DueKind; owner: string };

export type NewDue = DueOwner & { at: number; detail?: Json };

export type DueRecord = NewDue & { id: number; workspaceId: number; runId: string };

export type DueStore = {
  /** Moments after `after` and up to `until`, oldest first, with those that belong to no run. */
  listDue(range: {
    after: { at: number; id: number };
    until: number;
    limit: number;
  }): Promise<(DueRecord | FreeMoment)[]>;
  /** The next moment after `after`; null when there is none. */
  nextDueAt(after: number): Promise<number | null>;
  listRunDue(runId: string): Promise<DueRecord[]>;
  /** Takes a moment away that has been dealt with. */
  removeDue(moment: DueOwner & { runId: string }): Promise<void>;
};
