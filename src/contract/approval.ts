import * as z from "zod";
import { iteration } from "./iteration.ts";
import { jsonValue } from "./json.ts";

const approvalStatuses = ["pending", "approved", "rejected", "expired"] as const;
export const approvalStatus = z.enum(approvalStatuses);
export type ApprovalStatus = z.infer<typeof approvalStatus>;

/** How a request was decided: REST and MCP, the command line, a signed link, or no person at all (contract 7). */
export const decidedVia = z.enum(["api", "cli", "link", "system"]);
export type DecidedVia = z.infer<typeof decidedVia>;

export const decision = z.enum(["approved", "rejected"]);
export type Decision = z.infer<typeof decision>;

/** Characters of a comment that are kept (spec 2.6). */
export const maxCommentLength = 1000;

const timestamp = z.iso.datetime();

/** A request for a decision on a gate (contract 7). `step_id` is null for the gate before the whole run. */
export const approval = z.object({
  id: z.uuid(),
  run_id: z.uuid(),
  action_slug: z.string().nullable(),
  step_id: z.string().nullable(),
  iteration,
  status: approvalStatus,
  inputs: jsonValue.nullable(),
  redacted_count: z.int(),
  description: z.string().nullable(),
  comment: z.string().nullable(),
  user_id: z.string().nullable(),
  decided_via: decidedVia.nullable(),
  created_at: timestamp,
  expires_at: timestamp,
  decided_at: timestamp.nullable(),
});
export type Approval = z.infer<typeof approval>;

/** `inputs_sha256`: of what the step will really run with, also where it is shown redacted; null once that is gone. */
export type ApprovalDetail = Approval & { inputs_sha256: string | null };

export const approvalList = z.object({ approvals: z.array(approval), total: z.int(), limit: z.int(), offset: z.int() });
export type ApprovalList = z.infer<typeof approvalList>;

/** The answer to a decision (spec 4). */
export const decided = z.object({
  run_id: z.uuid(),
  status: z.enum(["running", "cancelled"]),
  decision,
  decided_at: timestamp,
});
export type Decided = z.infer<typeof decided>;

/** One line of the audit log (contract 7). */
export const auditEntry = z.object({
  id: z.string(),
  event: z.string(),
  decision: z.string().nullable(),
  run_id: z.string().nullable(),
  approval_id: z.string().nullable(),
  user_id: z.string().nullable(),
  decided_via: decidedVia.nullable(),
  comment: z.string().nullable(),
  created_at: timestamp,
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditList = z.object({ entries: z.array(auditEntry) });
export type AuditList = z.infer<typeof auditList>;

/** A workflow's failures from the first up to its next success (contract 5). */
export const incident = z.object({
  id: z.uuid(),
  workflow_id: z.uuid(),
  workflow_name: z.string(),
  action_slug: z.string().nullable(),
  status: z.enum(["open", "closed"]),
  runs: z.int(),
  opened_at: timestamp,
  closed_at: timestamp.nullable(),
});
export type Incident = z.infer<typeof incident>;
export type IncidentList = { incidents: Incident[] };
