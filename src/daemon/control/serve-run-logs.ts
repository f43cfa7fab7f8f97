import type { Hono } from "hono";
import type { RunLogPage } from "../../contract/run-log.ts";
import type { Services } from "../../engine/services.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import { requireRun } from "../operations/require-run.ts";
import type { ControlRoute } from "./control-route.ts";

const pageSize = 1000;

/** What the steps of a run wrote to their console, `?after=SEQ` on (contract 16). */
export function serveRunLogs(app: Hono<HttpEnv>, services: Services, { answer, workspaceOf }: ControlRoute): void {
  app.get("/control/runs/:id/logs", async ({ req }) => {
    const run = await requireRun(services, (await workspaceOf(req.raw)).id, req.param("id"));
    const after = Number(req.query("after") ?? 0) || 0;
    const lines = await services.store.readRunLog(run.id, after, pageSize);
    const logs = lines.map(({ stepId: step_id, createdAt, ...line }) => ({
      ...line,
      step_id,
      created_at: new Date(createdAt).toISOString(),
    }));
    return answer({ logs, next_after: logs.at(-1)?.seq ?? after } satisfies RunLogPage);
  });
}
