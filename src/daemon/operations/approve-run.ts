import * as z from "zod";
import { decided, decision } from "../../contract/approval.ts";
import { ApiError } from "../../contract/errors.ts";
import { decideApproval } from "../../engine/decide-approval.ts";
import { defineOperation } from "../operation.ts";
import { drivesRuns } from "../tool-spec.ts";
import { requireRun } from "./require-run.ts";

export const approveRun = defineOperation({
  name: "approveRun",
  tool: {
    name: "approve_run",
    description:
      "Decides what a run that is waiting_for_approval asks for: `approved` lets it go on, `rejected` cancels it. " +
      "get_run_status shows the request, what would be done with which inputs, and its id. Decide only what the person " +
      "you work for has decided; give `approval_id`, so that nothing else is decided if the run has moved on meanwhile.",
    hints: drivesRuns,
  },
  title: "Approve or reject",
  description:
    "Decides the pending request of a run: `approved` lets the run go on, `rejected` cancels it. Of several callers " +
    "exactly one wins. With `approval_id` only that request is decided.",
  route: ["POST", "/runs/:run_id/approve", 200],
  scope: "approvals:decide",
  input: z.object({
    run_id: z.string().meta({ description: "The run's id", format: "uuid" }),
    decision,
    comment: z.string().nullish().describe("Kept with the decision, up to 1,000 characters of it"),
    approval_id: z.string().nullish().describe("The request that is meant, as the run shows it"),
  }),
  output: decided,
  async handle(
    { services, caller },
    { run_id: runId, decision: wanted, comment = null, approval_id: approvalId = null },
  ) {
    if (caller.keyId === null && services.needsKeyToDecide) throw needsKey();
    const run = await requireRun(services, caller.workspaceId, runId);
    const via = caller.keyId === null ? "cli" : "api";
    return decideApproval(services, { run, decision: wanted, approvalId, comment, userId: caller.userId, via });
  },
});

function needsKey(): ApiError {
  const message =
    "Decisions take a key here (approvals.requireKey): use --url and a key with the scope approvals:decide";
  return new ApiError("FORBIDDEN", message);
}
