import type { Database } from "better-sqlite3";
import type { ApprovalDecision, NewApproval } from "../store.ts";
import { prepareAuditWrites } from "./audit-writes.ts";

/** A new request with its inputs as JSON text. */
export type ApprovalInsert = Omit<NewApproval, "inputs" | "iteration"> & { inputs: string; iteration: string | null };

export type ApprovalWrites = {
  insert: (run: { id: number; workspaceId: number }, request: ApprovalInsert) => void;
  /** Resolves a pending request of the run, with its audit entry; false when somebody was faster or it is too late. */
  decide: (decision: ApprovalDecision & { runId: number; at: number }) => boolean;
  /** Rejects what is pending because the run or its step ends; the request's id, or null. */
  close: (runId: number, at: number) => string | null;
};

type Resolved = { id: string; workspaceId: number; runUuid: string };

export function prepareApprovalWrites(db: Database): ApprovalWrites {
  const audit = prepareAuditWrites(db);
  const insert = db.prepare(
    `INSERT INTO approvals (uuid, workspace_id, run_id, step_id, iteration, status, redacted_count, created_at, expires_at,
       description, inputs)
     VALUES (@id, @workspaceId, @runId, @stepId, @iteration, 'pending', @redactedCount, @createdAt, @expiresAt,
       @description, @inputs)`,
  );
  const resolve = (guard: string) =>
    db.prepare<[object], Resolved>(
      `UPDATE approvals SET status = @status, decided_at = @at, user_id = @userId, decided_via = @via, comment = @comment
       WHERE run_id = @runId AND status = 'pending'${guard}
       RETURNING uuid AS id, workspace_id AS workspaceId, (SELECT uuid FROM runs WHERE id = run_id) AS runUuid`,
    );
  const inTime = resolve(" AND uuid = @approvalId AND expires_at > @at");
  const overdue = resolve(" AND uuid = @approvalId AND expires_at <= @at");
  const any = resolve("");

  function note(resolved: Resolved, decision: Omit<ApprovalDecision, "approvalId"> & { at: number }): void {
    const { id, workspaceId, runUuid } = resolved;
    const { status, userId, via, comment, at } = decision;
    audit.add({
      workspaceId,
      event: "approval.decided",
      decision: status,
      runId: runUuid,
      approvalId: id,
      userId,
      decidedVia: via,
      comment,
      createdAt: at,
    });
  }

  return {
    insert: (run, request) => void insert.run({ ...request, runId: run.id, workspaceId: run.workspaceId }),
    decide(decision) {
      const resolved = (decision.status === "expired" ? overdue : inTime).get(decision);
      if (resolved) note(resolved, decision);
      return resolved !== undefined;
    },
    close(runId, at) {
      const decision = { status: "rejected", userId: null, via: "system", comment: null, at } as const;
      const resolved = any.get({ ...decision, runId });
      if (resolved) note(resolved, decision);
      return resolved?.id ?? null;
    },
  };
}
