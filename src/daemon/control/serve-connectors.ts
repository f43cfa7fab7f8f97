import type { Hono } from "hono";
import type { ConnectorCheck, RemovedConnector } from "../../contract/connector-api.ts";
import { ApiError } from "../../contract/errors.ts";
import { maxBodyBytes } from "../../contract/limits.ts";
import { type BuildRequest, connectorSlug } from "../../contract/manifest.ts";
import { readBytes } from "../http/read-body.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import type { ToolOperation } from "../operation.ts";
import { presentBuild, presentIssues } from "../operations/build-source.ts";
import { getBuildStatus } from "../operations/get-build-status.ts";
import { getConnectorOperations } from "../operations/get-connector-operations.ts";
import { getOperationSchema } from "../operations/get-operation-schema.ts";
import { listConnectors } from "../operations/list-connectors.ts";
import type { ControlRoute } from "./control-route.ts";
import type { WorkflowParts } from "./serve-workflows.ts";

type ConnectorParts = Pick<WorkflowParts, "services" | "admit" | "hold">;

/**
 * The operations on connectors, for the command line. A source comes as the bytes of its file: ten megabytes of it are
 * read in the thread that builds, never here.
 */
export function serveConnectors(app: Hono<HttpEnv>, parts: ConnectorParts, route: ControlRoute): void {
  const { services } = parts;
  const { answer, workspaceOf } = route;

  async function call(raw: Request, operation: ToolOperation, fields: Record<string, unknown>): Promise<Response> {
    const { caller } = await parts.admit(raw);
    return answer(await operation.call({ services, caller, hold: parts.hold(raw) }, () => fields));
  }

  app.get("/control/connectors", ({ req }) => call(req.raw, listConnectors, req.query()));
  app.get("/control/connectors/:slug/operations", ({ req }) =>
    call(req.raw, getConnectorOperations, { connector_id: req.param("slug"), ...req.query() }),
  );
  app.get("/control/connectors/:slug/operations/:key", ({ req }) =>
    call(req.raw, getOperationSchema, { connector_id: req.param("slug"), operation_id: req.param("key") }),
  );
  app.get("/control/connectors/:slug/manifest", async ({ req }) => {
    const { id } = await workspaceOf(req.raw);
    return answer(await readManifest(services, id, req.param("slug")));
  });
  app.post("/control/connectors/:slug/remove", async ({ req }) => {
    const { id } = await workspaceOf(req.raw);
    const slug = req.param("slug");
    await services.builds.remove(id, slug);
    return answer({ connector_id: slug, removed: true } satisfies RemovedConnector);
  });
  app.post("/control/builds", async ({ req }) => {
    const { id } = await workspaceOf(req.raw);
    const request = readRequest(req.query());
    return answer(presentBuild(await services.builds.submit(id, request, await readSource(req.raw))));
  });
  app.post("/control/builds/check", async ({ req }) => {
    const request = readRequest(req.query());
    const found = presentIssues(await services.builds.check(request, await readSource(req.raw)));
    return answer({ valid: found.errors.length === 0, ...found } satisfies ConnectorCheck);
  });
  app.get("/control/builds/:id", ({ req }) => call(req.raw, getBuildStatus, { build_id: req.param("id") }));
}

/** The connector's manifest as it was built, which can be built again. */
async function readManifest(
  { store }: ConnectorParts["services"],
  workspaceId: number,
  slug: string,
): Promise<unknown> {
  const record = await store.findConnector(workspaceId, slug);
  if (!record) throw new ApiError("CONNECTOR_NOT_FOUND", `There is no built connector ${slug.slice(0, 100)}`);
  const partsOf = (kind: "action" | "trigger") =>
    record.parts.filter((part) => part.kind === kind).map(({ document }) => JSON.parse(document) as unknown);
  const head = JSON.parse(record.head) as Record<string, unknown>;
  return { ...head, operations: partsOf("action"), triggers: partsOf("trigger") };
}

function readRequest({ slug, fallback }: Record<string, string>): BuildRequest {
  for (const one of [slug, fallback]) {
    const problem = one === undefined ? undefined : connectorSlug.safeParse(one).error?.issues[0];
    if (problem) throw new ApiError("BAD_REQUEST", `The slug ${problem.message}`);
  }
  return { kind: "file", slug: slug ?? null, fallbackSlug: fallback ?? null };
}

async function readSource(raw: Request): Promise<Uint8Array> {
  const bytes = await readBytes(raw, maxBodyBytes.control);
  if (bytes.byteLength === 0) throw new ApiError("BAD_REQUEST", "The source is empty");
  return bytes;
}
