import type { Hono } from "hono";
import { mintRequest } from "../../contract/control.ts";
import { ApiError } from "../../contract/errors.ts";
import type { KeyRing } from "../../engine/keys.ts";
import { presentKey } from "../../engine/presentation/present-key.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import type { ControlRoute } from "./control-route.ts";
import { findKey } from "./find-key.ts";

/** Minting, listing, showing, rotating and revoking the keys of a workspace; `userId` is whose a key is by default. */
export function serveKeys(app: Hono<HttpEnv>, keys: KeyRing, userId: string, route: ControlRoute): void {
  const { workspaceOf, bodyOf, answer } = route;
  const named = async (request: Request, reference: string) =>
    findKey(keys, (await workspaceOf(request)).id, reference);

  app.get("/control/keys", async ({ req }) => {
    const records = await keys.list((await workspaceOf(req.raw)).id);
    return answer({ keys: records.map(presentKey) });
  });
  app.post("/control/keys", async ({ req }) => {
    const workspace = await workspaceOf(req.raw);
    const request = await bodyOf(req.raw, mintRequest.strict());
    return answer(await keys.mint(workspace, { ...request, user: request.user ?? userId }));
  });
  app.get("/control/keys/:ref", async ({ req }) => answer(presentKey(await named(req.raw, req.param("ref")))));
  app.post("/control/keys/:ref/revoke", async ({ req }) => {
    const { workspaceId, id } = await named(req.raw, req.param("ref"));
    const revoked = await keys.revoke(workspaceId, id);
    if (!revoked) throw new ApiError("NOT_FOUND", `No key has the id ${id}`);
    return answer(presentKey(revoked));
  });
  app.post("/control/keys/:ref/rotate", async ({ req }) =>
    answer(await keys.rotate(await named(req.raw, req.param("ref")))),
  );
}
