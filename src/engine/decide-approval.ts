import { type Decided, type DecidedVia, type Decision, maxCommentLength } from "../contract/approval.ts";
import { ApiError } from "../contract/errors.ts";
import { isTerminal } from "../contract/run.ts";
import type { ApprovalDecision, ApprovalRecord } from "../store/store.ts";
import type { RunPlace } from "./execution/execute-run.ts";
import type { Ending } from "./execution/run-inbox.ts";
import type { StepError } from "./node.ts";
import type { KnownSecrets } from "./redaction/known-secrets.ts";
import { redact } from "./redaction/redact.ts";
import type { Services } from "./services.ts";
import { expiredError, rejectedError } from "./execution/step-errors.ts";

export type DecideApproval = {
  run: RunPlace;
  decision: Decision;
  /** When given, only this request is decided (contract 7). */
  approvalId: string | null;
  comment: string | null;
  userId: string;
  via: DecidedVia;
};

/** How often a refused end is tried again while the request is still pending: the executor changed meanwhile. */
const maxTries = 5;

/**
 * Decides a run's pending request; of all who try exactly one wins, and decision, audit entry, status and wake-up are one
 * transaction. Throws BAD_REQUEST for a run that never asked and for a request that is not pending any more; one whose time
 * is over expires here, if the machine slept and the loop that expires requests has not looked yet.
 */
export async function decideApproval(services: Services, request: DecideApproval): Promise<Decided> {
  const { run, approvalId, decision } = request;
  const [latest] = await services.store.listRunApprovals(run.id);
  if (!latest) throw new ApiError("BAD_REQUEST", "Run is not waiting for approval");
  const isMeant = approvalId === null || approvalId.toLowerCase() === latest.id;
  if (latest.status !== "pending" || !isMeant) throw alreadyResolved();
  if (latest.expiresAt <= services.world.now().getTime()) {
    await expireApproval(services, run.workspaceId, latest.id);
    throw alreadyResolved();
  }
  if (decision === "approved") await assertMayApprove(services, request);
  const resolution: Omit<ApprovalDecision, "status"> = {
    approvalId: latest.id,
    userId: request.userId,
    via: request.via,
    comment: keptComment(request.comment, services.values.known(run.workspaceId)),
  };
  const isDecided = await (decision === "approved"
    ? grant(services, run, resolution)
    : reject(services, latest, resolution));
  if (!isDecided) throw alreadyResolved();
  const decided = await services.store.findApproval(run.workspaceId, latest.id);
  const decidedAt = new Date(decided?.decidedAt ?? services.world.now().getTime()).toISOString();
  return { run_id: run.id, status: decision === "approved" ? "running" : "cancelled", decision, decided_at: decidedAt };
}

/** Where self-decision is off, the user who started a run can reject it but not approve it (`approvals.selfDecision`). */
async function assertMayApprove(services: Services, { run, userId }: DecideApproval): Promise<void> {
  if (services.allowsSelfDecision) return;
  const found = await services.store.findRun(run.workspaceId, run.id);
  if (found?.userId !== userId) return;
  const message = `${userId} started this run, and approvals.selfDecision is off: another user has to approve it`;
  throw new ApiError("FORBIDDEN", message);
}

/** Expires a request whose time is over: the run is timed out (contract 7). Nothing happens when it was decided in time. */
export async function expireApproval(services: Services, workspaceId: number, approvalId: string): Promise<void> {
  const approval = await services.store.findApproval(workspaceId, approvalId);
  if (approval?.status !== "pending") return;
  const decision = { approvalId, status: "expired", userId: null, via: "system", comment: null } as const;
  await endGated(services, approval, decision, "timed_out", expiredError);
}

async function grant(
  { store, world, resume }: Services,
  run: RunPlace,
  resolution: Omit<ApprovalDecision, "status">,
): Promise<boolean> {
  const isGranted = await store.grantApproval({ ...resolution, at: world.now().getTime() });
  if (isGranted) resume(run);
  return isGranted;
}

async function reject(
  services: Services,
  approval: ApprovalRecord,
  resolution: Omit<ApprovalDecision, "status">,
): Promise<boolean> {
  return endGated(services, approval, { ...resolution, status: "rejected" }, "cancelled", rejectedError);
}

/** Has the run's executor end it with the decision in one commit. */
async function endGated(
  services: Services,
  { runId, workspaceId, stepId, iteration }: ApprovalRecord,
  decision: ApprovalDecision,
  status: Ending["status"],
  error: StepError,
): Promise<boolean> {
  const run = { id: runId, workspaceId };
  const stepError = stepId === null ? error : { ...error, step_id: stepId };
  const ending: Ending = {
    status,
    error: status === "cancelled" ? null : stepError,
    decision,
    ...(stepId !== null && { gate: { stepId, iteration, error } }),
  };
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (await services.end(run, ending)) return true;
    const [found, approval] = await Promise.all([
      services.store.findRun(workspaceId, runId),
      services.store.findApproval(workspaceId, decision.approvalId),
    ]);
    if (!found || isTerminal(found.status) || approval?.status !== "pending") return false;
  }
  return false;
}

/** Redacted like a payload and cut (spec 2.6, contract 15). */
function keptComment(comment: string | null, known: KnownSecrets | null): string | null {
  if (comment === null) return null;
  const { value } = redact(comment, known);
  // Cut between characters, never inside one.
  return typeof value === "string" ? Array.from(value).slice(0, maxCommentLength).join("") : null;
}

function alreadyResolved(): ApiError {
  return new ApiError("BAD_REQUEST", "Approval already resolved");
}
