import type { Json } from "../../contract/json.ts";
import type { Iteration } from "../../contract/run.ts";
import type { RunRecord } from "../../store/store.ts";
import type { Graph } from "../graph/graph.ts";
import type { Services } from "../services.ts";
import type { RunPlace } from "./execute-run.ts";
import type { StepLine, StepRun } from "./execute-step.ts";
import type { RunObserver } from "./run-observer.ts";

/** What runs are executed with. */
export type ExecutorServices = Pick<
  Services,
  | "store"
  | "world"
  | "limits"
  | "versions"
  | "sealer"
  | "values"
  | "scripts"
  | "calls"
  | "retries"
  | "tellsPeople"
  | "responses"
> & {
  log(run: RunPlace, line: StepLine): void;
  observe?: RunObserver;
  /** The place of a step in the trace of its run, where traces are on. */
  traceparentOf?: (run: RunRecord, stepId: string, iteration: Iteration) => string;
};

/** What the steps of one run run on. */
export function stepRunOf(services: ExecutorServices, run: RunRecord, graph: Graph, input: Json): StepRun {
  const { world, limits, scripts } = services;
  const startedAt = new Date(run.startedAt ?? world.now().getTime()).toISOString();
  return {
    graph,
    run: { id: run.id, source: run.source, started_at: startedAt },
    input,
    limits,
    world,
    awaitsResponse: () => services.responses.isOpen(run.id),
    values: services.values.named(run.workspaceId),
    scripts,
    callsOf(place) {
      const traceparent = services.traceparentOf?.(run, place.stepId, place.iteration) ?? null;
      return services.calls.callsOf({ workspaceId: run.workspaceId, runId: run.id, traceparent, ...place });
    },
    log: (line) => services.log(run, line),
  };
}
