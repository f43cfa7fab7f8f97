import { Hono } from "hono";
import { type DaemonStatus, publishRequest } from "../../contract/control.ts";
import { ApiError } from "../../contract/errors.ts";
import { maxBodyBytes } from "../../contract/limits.ts";
import { scopes } from "../../contract/scopes.ts";
import type { KeyRing } from "../../engine/keys.ts";
import type { WorkspaceRecord } from "../../store/store.ts";
import { answerError, answerJson } from "../http/answer.ts";
import { readJsonBody } from "../http/read-body.ts";
import type { FetchApp } from "../http/runtime-app.ts";
import { type Admission, type HttpEnv, type OperationServer, serveOperations } from "../http/serve-operations.ts";
import { type HoldAnswer, readFields } from "../operation.ts";
import type { DeliveryLog } from "../loops/delivery-log.ts";
import { publishFiles } from "../publish-files.ts";
import type { ControlRoute } from "./control-route.ts";
import { serveChanges } from "./serve-changes.ts";
import { serveConnections } from "./serve-connections.ts";
import { serveConnectors } from "./serve-connectors.ts";
import { serveBreakers } from "./serve-breakers.ts";
import { serveFiles } from "./serve-files.ts";
import { serveKeys } from "./serve-keys.ts";
import { serveNamedValues } from "./serve-named-values.ts";
import { servePeople } from "./serve-people.ts";
import { serveRunDeletion } from "./serve-run-deletion.ts";
import { serveRunLogs } from "./serve-run-logs.ts";
import { serveSchedules } from "./serve-schedules.ts";
import { serveTriggers } from "./serve-triggers.ts";
import { serveWorkflows } from "./serve-workflows.ts";
import { serveWorkspaces } from "./serve-workspaces.ts";

export type ControlParts = Omit<OperationServer, "maxBodyBytes" | "admit"> & {
  keys: KeyRing;
  version: string;
  /** The user of this machine, in whose name local calls are made. */
  userId: string;
  status(): DaemonStatus;
  deliveries: DeliveryLog;
  /** Where senders reach a subscription. */
  webhookUrl(subscriptionId: string): string;
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
  const route: ControlRoute = {
    workspaceOf: (request) => findWorkspace(services.store, request),
    bodyOf: async (request, schema) => readFields(schema, await readJsonBody(request, maxBodyBytes.control)),
    answer: (body) => answerJson(body, 200, headers),
  };
  const { workspaceOf, bodyOf } = route;

  app.get("/control/status", () => answerJson(parts.status(), 200, headers));
  app.post("/control/stop", () => {
    parts.stop();
    return answerJson({ stopping: true }, 200, headers);
  });
  serveKeys(app, keys, parts.userId, route);
  serveWorkspaces(app, services, keys, route);
  serveRunLogs(app, services, route);
  serveFiles(app, services, route);
  serveRunDeletion(app, parts, route);
  serveBreakers(app, services, route);
  serveConnections(app, services, route);
  serveNamedValues(app, services, route);
  app.post("/control/publish", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    const owner = { workspaceId, userId: parts.userId, webhookUrl: parts.webhookUrl };
    return answerJson(
      await publishFiles(services, owner, await bodyOf(req.raw, publishRequest.strict())),
      200,
      headers,
    );
  });
  servePeople(app, services, route);
  serveTriggers(app, parts, route);
  serveSchedules(app, services, route);
  const admit = async (request: Request): Promise<Admission> => {
    const { id } = await workspaceOf(request);
    return { caller: { workspaceId: id, userId: parts.userId, scopes, keyId: null }, headers, refusal: null };
  };
  const hold =
    (request: Request): HoldAnswer =>
    (kind) =>
      parts.answers.open(null, kind, request.signal);
  serveWorkflows(app, { services, admit, hold, userId: parts.userId }, route);
  serveConnectors(app, { services, admit, hold }, route);
  serveChanges(app, { services, log, hold, instanceId: () => parts.status().instance_id }, route);
  serveOperations(app, { ...parts, maxBodyBytes: maxBodyBytes.control, admit });
  app.onError((error) => answerError(error, log, headers));
  return (request, bindings) => {
    const isAlways = needNoStore.has(new URL(request.url).pathname);
    const skew = isAlways ? null : findSkew(request, parts.version);
    if (skew) return answerError(skew, log, headers);
    if (isAlways || !parts.isStopping()) return app.fetch(request, bindings ?? {});
    return answerError(new ApiError("OVERLOADED", "The daemon is stopping"), log, headers);
  };
}

/** A command line of another major version may mean something else by what it asks: nothing is done for it. */
function findSkew(request: Request, version: string): ApiError | null {
  const other = request.headers.get("x-stepgate-client");
  if (other === null || majorOf(other) === majorOf(version)) return null;
  const message = `The daemon is Stepgate ${version}, the command line ${other.slice(0, 40)}: stop the daemon and start it anew`;
  return new ApiError("CONFLICT", message);
}

function majorOf(version: string): string {
  return version.split(".", 1)[0] ?? "";
}

/** Answered until the very end of a stop, and to every version. */
const needNoStore = new Set(["/control/status", "/control/stop"]);

async function findWorkspace(store: ControlParts["services"]["store"], request: Request): Promise<WorkspaceRecord> {
  const name = request.headers.get("x-stepgate-workspace") ?? "default";
  const workspace = await store.findWorkspace(name);
  if (!workspace) throw new ApiError("NOT_FOUND", `There is no workspace ${name.slice(0, 100)}`);
  return workspace;
}
