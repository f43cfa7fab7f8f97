import type { Hono } from "hono";
import {
  type SecretList,
  type VariableList,
  secretRequest,
  valueName,
  variableRequest,
} from "../../contract/named-value.ts";
import {
  listSecrets,
  listVariables,
  removeSecret,
  removeVariable,
  setSecret,
  setVariable,
} from "../../engine/variables-and-secrets.ts";
import type { Services } from "../../engine/services.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import { readFields } from "../operation.ts";
import type { ControlRoute } from "./control-route.ts";

/** The variables and secrets of a workspace (contract 3). A secret's value comes in and never goes out. */
export function serveNamedValues(app: Hono<HttpEnv>, services: Services, route: ControlRoute): void {
  const { workspaceOf, bodyOf, answer } = route;
  const idOf = async (request: Request) => (await workspaceOf(request)).id;
  const nameOf = (name: string) => readFields(valueName, name);

  app.get("/control/vars", async ({ req }) =>
    answer({ vars: await listVariables(services, await idOf(req.raw)) } satisfies VariableList),
  );
  app.post("/control/vars/:name", async ({ req }) => {
    const workspaceId = await idOf(req.raw);
    const { value } = await bodyOf(req.raw, variableRequest.strict());
    return answer(await setVariable(services, workspaceId, nameOf(req.param("name")), value));
  });
  app.post("/control/vars/:name/remove", async ({ req }) =>
    answer(await removeVariable(services, await idOf(req.raw), req.param("name"))),
  );
  app.get("/control/secrets", async ({ req }) =>
    answer({ secrets: await listSecrets(services, await idOf(req.raw)) } satisfies SecretList),
  );
  app.post("/control/secrets/:name", async ({ req }) => {
    const workspaceId = await idOf(req.raw);
    const { value } = await bodyOf(req.raw, secretRequest.strict());
    return answer(await setSecret(services, workspaceId, nameOf(req.param("name")), value));
  });
  app.post("/control/secrets/:name/remove", async ({ req }) =>
    answer(await removeSecret(services, await idOf(req.raw), req.param("name"))),
  );
}
