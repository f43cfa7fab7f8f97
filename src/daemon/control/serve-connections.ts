import type { Hono } from "hono";
import {
  type ConnectionList,
  connectionChange,
  connectionRequest,
  signInAnswer,
  signInRequest,
} from "../../contract/connection.ts";
import {
  createConnection,
  describeConnectionFields,
  listConnections,
  removeConnection,
  showConnection,
  updateConnection,
} from "../../engine/connections.ts";
import { pollThrough } from "../../engine/events/arm-polls.ts";
import { createAuthorizations } from "../../engine/oauth/authorizations.ts";
import type { Services } from "../../engine/services.ts";
import { testConnection } from "../../engine/test-connection.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import type { ControlRoute } from "./control-route.ts";

/** The connections of a workspace (contract 13). Credentials come in and never go out. */
export function serveConnections(app: Hono<HttpEnv>, services: Services, route: ControlRoute): void {
  const { workspaceOf, bodyOf, answer } = route;
  const authorizations = createAuthorizations(services);
  const idOf = async (request: Request) => (await workspaceOf(request)).id;

  app.get("/control/connections", async ({ req }) =>
    answer({ connections: await listConnections(services, await idOf(req.raw)) } satisfies ConnectionList),
  );
  app.post("/control/connections", async ({ req }) => {
    const workspaceId = await idOf(req.raw);
    return answer(await createConnection(services, workspaceId, await bodyOf(req.raw, connectionRequest.strict())));
  });
  app.get("/control/connection-fields/:connector", async ({ req }) =>
    answer(await describeConnectionFields(services, await idOf(req.raw), req.param("connector"))),
  );
  app.get("/control/connections/:ref", async ({ req }) =>
    answer(await showConnection(services, await idOf(req.raw), req.param("ref"))),
  );
  app.post("/control/connections/:ref/update", async ({ req }) => {
    const workspaceId = await idOf(req.raw);
    const change = await bodyOf(req.raw, connectionChange.strict());
    const updated = await updateConnection(services, workspaceId, req.param("ref"), change);
    await pollThrough(services, workspaceId, updated);
    return answer(updated);
  });
  app.post("/control/connections/:ref/sign-in", async ({ req }) => {
    const workspaceId = await idOf(req.raw);
    const { redirect_uri } = await bodyOf(req.raw, signInRequest);
    return answer(await authorizations.begin(workspaceId, req.param("ref"), redirect_uri));
  });
  app.post("/control/sign-ins", async ({ req }) => {
    const workspaceId = await idOf(req.raw);
    const { flow, redirected } = await bodyOf(req.raw, signInAnswer);
    const connection = await authorizations.finish(workspaceId, flow, redirected);
    await pollThrough(services, workspaceId, connection);
    return answer(connection);
  });
  app.post("/control/connections/:ref/remove", async ({ req }) =>
    answer(await removeConnection(services, await idOf(req.raw), req.param("ref"))),
  );
  app.post("/control/connections/:ref/test", async ({ req }) =>
    answer(await testConnection(services, await idOf(req.raw), req.param("ref"))),
  );
}
