import type { Hono } from "hono";
import { deleteRun } from "../../engine/delete-run.ts";
import type { Services } from "../../engine/services.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import { requireRun } from "../operations/require-run.ts";
import type { ControlRoute } from "./control-route.ts";

/** Deletes a run that is over. On the control channel alone: no key can make a run's traces go. */
export function serveRunDeletion(
  app: Hono<HttpEnv>,
  { services, userId }: { services: Services; userId: string },
  { answer, workspaceOf }: ControlRoute,
): void {
  app.post("/control/runs/:id/delete", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const { id: runId } = await requireRun(services, workspaceId, req.param("id"));
    await deleteRun(services, { workspaceId, runId, userId, via: "cli" });
    return answer({ run_id: runId, deleted: true });
  });
}
