import type { Hono } from "hono";
import * as z from "zod";
import { type ApprovalDetail, approvalStatus } from "../../contract/approval.ts";
import { ApiError } from "../../contract/errors.ts";
import { digestInputs } from "../../engine/digest-inputs.ts";
import { presentAction } from "../../engine/presentation/present-action.ts";
import { presentApproval, presentAudit, presentIncident } from "../../engine/presentation/present-approval.ts";
import type { Services } from "../../engine/services.ts";
import { setActionStatus } from "../../engine/set-action-status.ts";
import type { Store } from "../../store/store.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import { readFields } from "../operation.ts";
import type { ControlRoute } from "./control-route.ts";

const limit = z.coerce.number().int().min(1).max(1000).default(50);
const approvalQuery = z.strictObject({
  status: approvalStatus.optional(),
  limit,
  offset: z.coerce.number().int().min(0).default(0),
});
const auditQuery = z.strictObject({ limit });

const actionChange = z.enum(["pause", "resume", "archive"]);
const statusAfter = { pause: "paused", resume: "active", archive: "archived" } as const;

/** What people look at: requests for approval and the audit log (contract 18). */
export function servePeople(app: Hono<HttpEnv>, services: Services, { workspaceOf, answer }: ControlRoute): void {
  const { store } = services;
  app.get("/control/approvals", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const { status, ...page } = readFields(approvalQuery, req.query());
    const { approvals, total } = await store.listApprovals({ workspaceId, ...page, ...(status && { status }) });
    return answer({ approvals: approvals.map(presentApproval), total, ...page });
  });
  app.get("/control/approvals/:id", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const id = req.param("id").toLowerCase();
    const approval = (await store.findApproval(workspaceId, id)) ?? (await latestOf(store, workspaceId, id));
    if (!approval)
      throw new ApiError("NOT_FOUND", `No request for approval, and no run with one, has the id ${id.slice(0, 100)}`);
    const digest = await digestInputs(services, workspaceId, approval);
    return answer({ ...presentApproval(approval), inputs_sha256: digest } satisfies ApprovalDetail);
  });
  app.get("/control/incidents", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const incidents = await store.listIncidents({ workspaceId, ...readFields(auditQuery, req.query()) });
    return answer({ incidents: incidents.map(presentIncident) });
  });
  app.post("/control/actions/:slug/:change", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const status = readFields(actionChange, req.param("change"));
    return answer(presentAction(await setActionStatus(services, workspaceId, req.param("slug"), statusAfter[status])));
  });
  app.get("/control/audit", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const entries = await store.listAudit(workspaceId, readFields(auditQuery, req.query()).limit);
    return answer({ entries: entries.map(presentAudit) });
  });
}

/** A run's latest request, so that a request can be named by its run. */
async function latestOf(store: Store, workspaceId: number, runId: string) {
  const run = await store.findRun(workspaceId, runId);
  return run ? ((await store.listRunApprovals(run.id))[0] ?? null) : null;
}
