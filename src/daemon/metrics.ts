import { monitorEventLoopDelay } from "node:perf_hooks";
import { type RunStatus, isTerminal, runStatuses } from "../contract/run.ts";
import type { BreakerView } from "../engine/calls/breakers.ts";
import type { RunObserver } from "../engine/execution/run-observer.ts";
import type { Store } from "../store/store.ts";
import { type StepDurations, countStepDurations } from "./step-durations.ts";

/** Why a request was refused at the door: without a valid key, or beyond its key's rate. */
export type Refusal = "unauthorized" | "rate_limit";

export type Metrics = {
  /** Everything there is, as Prometheus reads it, and the type of that text. */
  render(): Promise<{ text: string; type: string }>;
  countRefusal(reason: Refusal): void;
  /** Counts how long steps took, once that is durable. */
  countSteps: RunObserver;
  stop(): void;
};

/** What is counted or can be asked for; `prometheus.ts` words it. */
export type Numbers = {
  version: string;
  store: Pick<Store, "countRuns" | "stats">;
  activeRuns(): number;
  /** Circuit breakers of all workspaces. */
  breakers(): Promise<BreakerView[]>;
  ended: ReadonlyMap<RunStatus, number>;
  refused: ReadonlyMap<Refusal, number>;
  steps: Pick<StepDurations, "render">;
  /** In nanoseconds, the beat included. */
  eventLoopDelay: Pick<ReturnType<typeof monitorEventLoopDelay>, "count" | "percentile" | "reset">;
  /** Milliseconds from one look at the event loop to the next, as they should be. */
  eventLoopBeat: number;
};

const eventLoopBeat = 20;

/**
 * The numbers of a daemon. Those of runs come from what the store tells and holds, so that nothing is counted before it
 * is durable (contract 5); totals begin with the daemon.
 */
export function createMetrics(parts: Pick<Numbers, "version" | "activeRuns" | "breakers"> & { store: Store }): Metrics {
  const ended = new Map(runStatuses.filter(isTerminal).map((status) => [status, 0]));
  const refused = new Map<Refusal, number>([
    ["unauthorized", 0],
    ["rate_limit", 0],
  ]);
  const eventLoopDelay = monitorEventLoopDelay({ resolution: eventLoopBeat });
  eventLoopDelay.enable();
  // A terminal run never changes again, so each is heard of once.
  const stopWatching = parts.store.watchRuns(null, ({ status }) => isTerminal(status) && add(ended, status));
  const steps = countStepDurations();
  const numbers: Numbers = { ...parts, ended, refused, steps, eventLoopDelay, eventLoopBeat };
  let render: Promise<() => Promise<{ text: string; type: string }>> | null = null;
  return {
    async render() {
      // Its library takes 40 ms to load, which a daemon that nobody watches need not spend.
      render ??= import("./prometheus.ts").then(({ createPrometheus }) => createPrometheus(numbers));
      return (await render)();
    },
    countRefusal: (reason) => add(refused, reason),
    countSteps: steps.observe,
    stop() {
      stopWatching();
      eventLoopDelay.disable();
    },
  };
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
