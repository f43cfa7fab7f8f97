import { AsyncLocalStorage } from "node:async_hooks";
import type { Iteration } from "../../contract/iteration.ts";
import type { RunObserver } from "../../engine/execution/run-observer.ts";
import type { World } from "../../engine/world.ts";
import type { FetchApp } from "../http/runtime-app.ts";
import { type OpenRequest, type RouteOf, traceRequests } from "./request-spans.ts";
import { createRunSpans } from "./run-spans.ts";
import type { SpanSink } from "./span.ts";
import { type TracedRun, readTraceparent, stepContext, writeTraceparent } from "./trace-context.ts";

/** The traces of a daemon (design 2): one span for each call, each run and each step. */
export type Tracing = {
  /** Serves an app with a span for each call, in the trace that the caller is part of. */
  serve(app: FetchApp, routeOf: RouteOf): FetchApp;
  /** The `traceparent` of what is started in the course of the current call; null outside of calls. */
  current(): string | null;
  /** What is done here belongs to no call. */
  detach<T>(action: () => T): T;
  /** Names the current call, which its address does not, and puts it into the trace that its message tells of, if any. */
  describeCall(name: string, attributes: Record<string, string>, traceparent: unknown): void;
  /** Told of what has become durable of runs. */
  observeRun: RunObserver;
  /** The `traceparent` that a step hands on to what it calls. */
  ofStep(run: TracedRun, stepId: string, iteration: Iteration): string;
  stop(): Promise<void>;
};

export function createTracing(sink: SpanSink, world: Pick<World, "now">): Tracing {
  const calls = new AsyncLocalStorage<OpenRequest | null>();
  return {
    serve: (app, routeOf) => traceRequests({ app, routeOf, calls, sink, world }),
    current() {
      const call = calls.getStore();
      // What goes on after its call, such as a run, is no part of it any more.
      return call && !call.isOver ? writeTraceparent(call.context) : null;
    },
    detach: (action) => calls.run(null, action),
    describeCall(name, attributes, traceparent) {
      const call = calls.getStore();
      if (!call) return;
      call.name = name;
      Object.assign(call.attributes, attributes);
      const parent = call.parent ? null : readTraceparent(traceparent);
      if (!parent) return;
      call.parent = parent;
      call.context = { ...call.context, traceId: parent.traceId, isSampled: parent.isSampled };
    },
    observeRun: createRunSpans(sink),
    ofStep: (run, stepId, iteration) => writeTraceparent(stepContext(run, stepId, iteration)),
    stop: () => sink.stop(),
  };
}
