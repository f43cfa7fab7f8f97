import type { Database } from "better-sqlite3";
import type { ApprovalDecision } from "../store.ts";
import { prepareApprovalWrites } from "./approval-writes.ts";
import { statusCodes } from "./codes.ts";
import { prepareDueWrites } from "./due-writes.ts";
import { answer, type Effect } from "./effect.ts";
import { prepareRunCounts, type CountedRun } from "./run-counts.ts";

export type ApprovalGrant = Omit<ApprovalDecision, "status"> & { at: number };

type GatedRun = CountedRun & { id: number; runId: string; seq: number };

/** Approves a pending request and lets its run go on: `running` is what makes the next start take it up. */
export function prepareGrantApproval(db: Database): (grant: ApprovalGrant) => Effect<boolean> {
  const approvals = prepareApprovalWrites(db);
  const due = prepareDueWrites(db);
  const counts = prepareRunCounts(db);
  const [waiting, running] = [statusCodes.encode("waiting_for_approval"), statusCodes.encode("running")];
  const findRun = db.prepare<[string], GatedRun>(
    `SELECT r.id, r.uuid AS runId, r.seq, r.status, r.workspace_id AS workspaceId, r.action_id AS actionId, r.source
     FROM approvals p JOIN runs r ON r.id = p.run_id WHERE p.uuid = ? AND r.status = ${waiting}`,
  );
  const release = db.prepare(`UPDATE runs SET status = ${running} WHERE id = ?`);
  return (grant) => {
    const run = findRun.get(grant.approvalId);
    if (!run || !approvals.decide({ ...grant, status: "approved", runId: run.id })) return answer(false);
    release.run(run.id);
    counts.add(run, -1);
    counts.add({ ...run, status: running }, 1);
    due.remove(run.id, [{ kind: "approval", owner: grant.approvalId }]);
    const { runId, workspaceId, seq } = run;
    return { value: true, changes: [{ runId, workspaceId, status: "running", seq }] };
  };
}
