import { Hono } from "hono";
import { ApiError } from "../../contract/errors.ts";
import { maxBodyBytes } from "../../contract/limits.ts";
import type { Metrics } from "../metrics.ts";
import type { ToolOperation } from "../operation.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { OnActionsChange } from "../watch-actions.ts";
import type { DeliveryLog } from "../loops/delivery-log.ts";
import { answerForeign, isMcp, mountMcp } from "../mcp/mount-mcp.ts";
import { answerError, answerJson, answerNotAllowed, answerText } from "./answer.ts";
import type { CheckOrigin } from "./check-origin.ts";
import { isLocal } from "./is-local.ts";
import { describeApi } from "./openapi.ts";
import { type LinkTokens, serveLinks } from "./serve-links.ts";
import { serveWebhooks } from "./serve-webhooks.ts";
import { type HttpEnv, type OperationServer, matchesRoute, runtimeBase, serveOperations } from "./serve-operations.ts";

export type FetchApp = (request: Request, bindings?: HttpEnv["Bindings"]) => Response | Promise<Response>;

export type RuntimeAppParts = Omit<OperationServer, "maxBodyBytes"> & {
  version: string;
  /** What agents reach at /mcp. */
  tools: readonly ToolOperation[];
  /** Migrated, recovered and not stopping. */
  isReady(): boolean;
  metrics: Metrics;
  isMetricsPublic: boolean;
  /** Signed links to requests for approval, and in whose name they decide; null when they are off. */
  links: { tokens: LinkTokens; userId: string } | null;
  /** Null when traces are off. */
  tracing: Tracing | null;
  onActionsChange: OnActionsChange;
  /** Notes what comes to webhooks. */
  deliveries: DeliveryLog;
  /** Asked for each request: the address is known once the server listens. */
  checkOrigin: CheckOrigin;
};

/** What anybody may read, and do nothing else with. */
const keylessPaths = ["/healthz", "/readyz", "/metrics", "/api/v1/openapi.json"];

/** Everything that the daemon serves over HTTP. No answer ever carries CORS headers (contract 17). */
export function createRuntimeApp(parts: RuntimeAppParts): FetchApp {
  const { log, version } = parts;
  const app = new Hono<HttpEnv>();
  app.get("/healthz", () => answerJson({ status: "ok", version }, 200));
  app.get("/readyz", () => {
    if (parts.isReady()) return answerJson({ status: "ready" }, 200);
    return answerError(new ApiError("OVERLOADED", "The daemon is not ready", { retryAfterSeconds: 1 }), log);
  });
  app.get("/metrics", async ({ req, env }) => {
    if (!parts.isMetricsPublic && !isLocal(req.raw, env)) return answerError(notLocal, log);
    const { text, type } = await parts.metrics.render();
    return answerText(text, type);
  });
  let description: string | null = null;
  app.get("/api/v1/openapi.json", () => {
    description ??= JSON.stringify(describeApi(parts.operations, version));
    return answerText(description, "application/json");
  });
  for (const path of keylessPaths) app.all(path, ({ req }) => answerNotAllowed(req.method, "GET", log));
  if (parts.links) {
    serveLinks(app, parts.services, parts.links.tokens, parts.links.userId);
    app.all("/approvals/:token", ({ req }) => answerNotAllowed(req.method, "GET, POST", log));
  }
  serveWebhooks(app, parts);
  serveOperations(app, { ...parts, maxBodyBytes: maxBodyBytes.runtime });
  mountMcp(app, parts);
  app.onError((error) => answerError(error, log));
  const serve: FetchApp = (request, bindings) => {
    try {
      parts.checkOrigin(request);
    } catch (error) {
      return isMcp(request) ? answerForeign(error, log) : answerError(error, log);
    }
    return app.fetch(request, bindings ?? {});
  };
  return parts.tracing ? parts.tracing.serve(serve, (request) => routeOf(parts.operations, request)) : serve;
}

/** The route of a call that spans are made of; nobody traces health checks. */
function routeOf(operations: RuntimeAppParts["operations"], request: Request): string | null {
  const { pathname } = new URL(request.url);
  if (pathname === "/mcp") return pathname;
  if (pathname.startsWith("/webhooks/")) return "/webhooks/:id";
  if (!pathname.startsWith(`${runtimeBase}/`)) return null;
  const path = pathname.slice(runtimeBase.length);
  const found = operations.find(
    ({ route: [method, template] }) => method === request.method && matchesRoute(template, path),
  );
  return runtimeBase + (found?.route[1] ?? "/*");
}

const notLocal = new ApiError(
  "FORBIDDEN",
  "Metrics are for callers on this machine: set metrics.public to show them to others",
);
