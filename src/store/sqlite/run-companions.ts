import type { Database } from "better-sqlite3";
import { prepareApprovalWrites } from "./approval-writes.ts";
import { statusCodes } from "./codes.ts";
import type { OpenRun, RunUpdate } from "./commit-run.ts";
import { prepareDueWrites } from "./due-writes.ts";

/** What stands beside a run and changes with its commits: its requests for approval and its moments. */
export type RunCompanions = {
  update: (run: OpenRun, commit: RunUpdate) => void;
  /** The run ends with this commit: what is pending ends with it. */
  close: (run: OpenRun, commit: RunUpdate) => void;
};

const accepted = statusCodes.encode("accepted");
const waitingForApproval = statusCodes.encode("waiting_for_approval");

export function prepareRunCompanions(db: Database): RunCompanions {
  const approvals = prepareApprovalWrites(db);
  const due = prepareDueWrites(db);
  return {
    update(run, { withdraw, request, addDue = [], removeDue = [], at }) {
      const closed = withdraw && run.status === waitingForApproval ? approvals.close(run.id, at) : null;
      if (closed !== null) due.remove(run.id, [{ kind: "approval", owner: closed }]);
      if (request) {
        approvals.insert(run, request);
        due.add(run.id, [{ kind: "approval", owner: request.id, at: request.expiresAt }]);
      }
      // In this order, so that a retry can take the place of the one that has just come due.
      due.remove(run.id, removeDue);
      due.add(run.id, addDue);
    },
    close(run, { request, decision, addDue, followUp = [], at }) {
      const isPending = request !== null || (run.status === waitingForApproval && !decision);
      if (isPending) approvals.close(run.id, at);
      // A run that begins and ends in one commit has no moments.
      if (isPending || addDue || run.status !== accepted) due.removeAll(run.id);
      due.add(run.id, followUp);
    },
  };
}
