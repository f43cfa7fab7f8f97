import type { Hono } from "hono";
import { tierRequest, workspaceRequest } from "../../contract/control.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Workspace } from "../../contract/workspace.ts";
import type { KeyRing } from "../../engine/keys.ts";
import type { Services } from "../../engine/services.ts";
import type { WorkspaceRecord } from "../../store/store.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import type { ControlRoute } from "./control-route.ts";

/** Listing and making workspaces, and changing their tier, which counts from the next request on. */
export function serveWorkspaces(app: Hono<HttpEnv>, services: Services, keys: KeyRing, route: ControlRoute): void {
  const { store, world } = services;
  const { bodyOf, answer } = route;

  app.get("/control/workspaces", async () => answer({ workspaces: (await store.listWorkspaces()).map(present) }));
  app.post("/control/workspaces", async ({ req }) => {
    const { name, tier } = await bodyOf(req.raw, workspaceRequest.strict());
    const created = await store.createWorkspace({ name, tier, at: world.now().getTime() });
    if (!created) throw new ApiError("CONFLICT", `There is a workspace ${name} already`);
    return answer(present(created));
  });
  app.post("/control/workspaces/:name/tier", async ({ req }) => {
    const { tier } = await bodyOf(req.raw, tierRequest.strict());
    const name = req.param("name");
    const changed = await store.setTier({ name, tier });
    if (!changed) throw new ApiError("NOT_FOUND", `There is no workspace ${name.slice(0, 100)}`);
    keys.forget();
    return answer(present(changed));
  });
}

function present({ id, name, tier, createdAt }: WorkspaceRecord): Workspace {
  return { id, name, tier, created_at: new Date(createdAt).toISOString() };
}
