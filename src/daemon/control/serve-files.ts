import type { Hono } from "hono";
import type { FileBody, FileList } from "../../contract/file.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Services } from "../../engine/services.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import { requireRun } from "../operations/require-run.ts";
import type { ControlRoute } from "./control-route.ts";

/** The files that a run refers to, and the bytes of one. */
export function serveFiles(app: Hono<HttpEnv>, services: Services, { answer, workspaceOf }: ControlRoute): void {
  app.get("/control/runs/:id/files", async ({ req }) => {
    const run = await requireRun(services, (await workspaceOf(req.raw)).id, req.param("id"));
    const files = (await services.store.listRunFiles(run.id)).map(({ id, name, size, mime, createdAt }) => {
      return { file_id: id, name, size, mime, created_at: new Date(createdAt).toISOString() };
    });
    return answer({ files } satisfies FileList);
  });
  app.get("/control/files/:id", async ({ req }) => {
    const id = req.param("id");
    const found = await services.files.find((await workspaceOf(req.raw)).id, id);
    if (!found) throw new ApiError("NOT_FOUND", `There is no file ${id.slice(0, 100)}`);
    return answer({ ...found.reference, base64: found.bytes.toBase64() } satisfies FileBody);
  });
}
