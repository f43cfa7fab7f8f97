import { Hono } from "hono";
import type { z } from "zod";
import { type DaemonStatus, mintRequest, publishRequest } from "../../contract/control.ts";
import { ApiError } from "../../contract/errors.ts";
import { maxBodyBytes } from "../../contract/limits.ts";
import { scopes } from "../../contract/scopes.ts";
import type { KeyRing } from "../../engine/keys.ts";
import { presentKey } from "../../engine/present-key.ts";
import type { WorkspaceRecord } from "../../store/store.ts";
import { answerError, answerJson } from "../http/answer.ts";
import { readJsonBody } from "../http/read-body.ts";
import type { FetchApp } from "../http/runtime-app.ts";
import { type Admission, type HttpEnv, type OperationServer, serveOperations } from "../http/serve-operations.ts";
import { readFields } from "../operation.ts";
import { publishFiles } from "../publish-files.ts";
import { revokeByName } from "./revoke-key.ts";

export type ControlParts = Omit<OperationServer, "maxBodyBytes" | "admit"> & {
  keys: KeyRing;
  version: string;
  /** The user of this machine, in whose name local calls are made. */
  userId: string;
  status(): DaemonStatus;
  /** Begins the shutdown and returns at once. */
  stop(): void;
  isStopping(): boolean;
};

/**
 * What the command line asks the daemon of its own machine: no key is needed, for the socket's file mode is the
 * authentication (contract 10). Serves the runtime's operations too, with every scope and no rate limit.
 */
export function createControlApp(parts: ControlParts): FetchApp {
  const { services, keys, log } = parts;
  const headers = { "x-stepgate-version": parts.version };
  const app = new Hono<HttpEnv>();
  const workspaceOf = (request: Request) => findWorkspace(services.store, request);
  const bodyOf = async <T>(request: Request, schema: z.ZodType<T>) =>
    readFields(schema, await readJsonBody(request, maxBodyBytes.control));

  app.get("/control/status", () => answerJson(parts.status(), 200, headers));
  app.post("/control/stop", () => {
    parts.stop();
    return answerJson({ stopping: true }, 200, headers);
  });
  app.get("/control/keys", async ({ req }) => {
    const records = await keys.list((await workspaceOf(req.raw)).id);
    return answerJson({ keys: records.map(presentKey) }, 200, headers);
  });
  app.post("/control/keys", async ({ req }) => {
    const workspace = await workspaceOf(req.raw);
    const request = await bodyOf(req.raw, mintRequest.strict());
    return answerJson(await keys.mint(workspace, { ...request, user: request.user ?? parts.userId }), 200, headers);
  });
  app.post("/control/keys/:ref/revoke", async ({ req }) => {
    const key = await revokeByName(keys, (await workspaceOf(req.raw)).id, req.param("ref"));
    return answerJson(presentKey(key), 200, headers);
  });
  app.post("/control/publish", async ({ req }) => {
    const { id } = await workspaceOf(req.raw);
    return answerJson(await publishFiles(services, id, await bodyOf(req.raw, publishRequest.strict())), 200, headers);
  });
  serveOperations(app, {
    ...parts,
    maxBodyBytes: maxBodyBytes.control,
    admit: async (request): Promise<Admission> => {
      const { id } = await workspaceOf(request);
      return { caller: { workspaceId: id, userId: parts.userId, scopes, keyId: null }, headers, refusal: null };
    },
  });
  app.onError((error) => answerError(error, log, headers));
  return (request, bindings) => {
    if (!parts.isStopping() || needNoStore.has(new URL(request.url).pathname))
      return app.fetch(request, bindings ?? {});
    return answerError(new ApiError("OVERLOADED", "The daemon is stopping"), log, headers);
  };
}

/** Answered until the very end of a stop. */
const needNoStore = new Set(["/control/status", "/control/stop"]);

async function findWorkspace(store: ControlParts["services"]["store"], request: Request): Promise<WorkspaceRecord> {
  const name = request.headers.get("x-stepgate-workspace") ?? "default";
  const workspace = await store.findWorkspace(name);
  if (!workspace) throw new ApiError("NOT_FOUND", `There is no workspace ${name.slice(0, 100)}`);
  return workspace;
}
