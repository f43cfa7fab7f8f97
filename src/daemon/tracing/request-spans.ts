import type { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { World } from "../../engine/world.ts";
import type { FetchApp } from "../http/runtime-app.ts";
import type { SpanSink } from "./span.ts";
import { type TraceContext, readTraceparent } from "./trace-context.ts";

/** A call that has not been answered. */
export type OpenRequest = {
  context: TraceContext;
  parent: TraceContext | null;
  name: string;
  attributes: Record<string, string | number>;
  isOver: boolean;
};

/** The route of a request, without anybody's ids; null for one of which no span is made. */
export type RouteOf = (request: Request) => string | null;

export type RequestTracing = {
  app: FetchApp;
  routeOf: RouteOf;
  calls: AsyncLocalStorage<OpenRequest | null>;
  sink: SpanSink;
  world: Pick<World, "now">;
};

/** Serves an app with a span for each call. Addresses hold secrets of links and webhooks, so spans have the route alone. */
export function traceRequests({ app, routeOf, calls, sink, world }: RequestTracing): FetchApp {
  return (request, bindings) => {
    const route = routeOf(request);
    if (route === null) return app(request, bindings);
    const parent = readTraceparent(request.headers.get("traceparent"));
    const call: OpenRequest = {
      context: {
        traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
        spanId: randomBytes(8).toString("hex"),
        isSampled: parent?.isSampled ?? true,
      },
      parent,
      name: `${request.method} ${route}`,
      attributes: { "http.request.method": request.method, "http.route": route },
      isOver: false,
    };
    const startedAt = world.now().getTime();
    const end = (response: Response): Response => {
      call.isOver = true;
      const { status } = response;
      const { context, name, attributes } = call;
      sink.send({
        context,
        parent: call.parent,
        name,
        kind: "server",
        startedAt,
        endedAt: world.now().getTime(),
        // What the caller did wrong is no error of the server's.
        isError: status >= 500,
        attributes: { ...attributes, "http.response.status_code": status },
        events: [],
      });
      return response;
    };
    return calls.run(call, () => {
      const answer = app(request, bindings);
      return answer instanceof Promise ? answer.then(end) : end(answer);
    });
  };
}
