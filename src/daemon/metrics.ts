import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Registry } from "prom-client";
import { isTerminal, runStatuses } from "../contract/run.ts";
import type { Store } from "../store/store.ts";

export type Metrics = {
  readonly contentType: string;
  /** Everything there is, as Prometheus reads it. */
  render(): Promise<string>;
  /** A request that came without a valid key, or beyond its rate. */
  countRefusal(reason: "unauthorized" | "rate_limit"): void;
  stop(): void;
};

type Parts = { store: Store; version: string; activeRuns(): number };

/**
 * The numbers of a daemon. Those of runs come from what the store tells and holds, so that nothing is counted before it
 * is durable (contract 5); totals begin with the daemon.
 */
export function createMetrics({ store, version, activeRuns }: Parts): Metrics {
  const registry = new Registry();
  addRuns(registry, store, activeRuns);
  addStore(registry, store);
  const stopDelay = addEventLoopDelay(registry);
  addProcess(registry, version);
  const refusals = new Counter({
    name: "stepgate_requests_refused_total",
    help: "Requests without a valid key (unauthorized) or beyond their key's rate (rate_limit)",
    labelNames: ["reason"] as const,
    registers: [registry],
  });
  for (const reason of ["unauthorized", "rate_limit"] as const) refusals.inc({ reason }, 0);
  const stopRuns = countEnds(registry, store);
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    countRefusal: (reason) => refusals.inc({ reason }),
    stop() {
      stopRuns();
      stopDelay();
    },
  };
}

function addRuns(registry: Registry, store: Store, activeRuns: () => number): void {
  const registers = [registry];
  new Gauge({
    name: "stepgate_runs",
    help: "Runs that are kept, by status; accepted ones are the queue",
    labelNames: ["status"] as const,
    registers,
    async collect() {
      const counts = new Map((await store.countRuns()).map(({ status, n }) => [status, n]));
      for (const status of runStatuses) this.set({ status }, counts.get(status) ?? 0);
    },
  });
  new Gauge({
    name: "stepgate_active_runs",
    help: "Runs that execute now",
    registers,
    collect() {
      this.set(activeRuns());
    },
  });
}

/** Returns the function that ends the counting. */
function countEnds(registry: Registry, store: Store): () => void {
  const ends = new Counter({
    name: "stepgate_runs_ended_total",
    help: "Runs that ended, by status",
    labelNames: ["status"] as const,
    registers: [registry],
  });
  for (const status of runStatuses.filter(isTerminal)) ends.inc({ status }, 0);
  // A terminal run never changes again, so each is heard of once.
  return store.watchRuns(null, ({ status }) => isTerminal(status) && ends.inc({ status }));
}

function addStore(registry: Registry, store: Store): void {
  addTotal(registry, "stepgate_store_commits_total", "Transactions that were made durable", () => store.stats().commits);
  addTotal(registry, "stepgate_store_writes_total", "Writes in these transactions", () => store.stats().writes);
}

/** Seconds by which the event loop was late since the last reading; returns the function that ends the measuring. */
function addEventLoopDelay(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  new Gauge({
    name: "stepgate_event_loop_delay_seconds",
    help: "How late the event loop was since the last reading",
    labelNames: ["quantile"] as const,
    registers: [registry],
    collect() {
      for (const quantile of [50, 99, 100]) {
        this.set({ quantile: String(quantile / 100) }, delay.count === 0 ? 0 : delay.percentile(quantile) / 1e9);
      }
      delay.reset();
    },
  });
  return () => void delay.disable();
}

function addProcess(registry: Registry, version: string): void {
  const registers = [registry];
  new Gauge({ name: "stepgate_info", help: "Which Stepgate this is", labelNames: ["version"], registers }).set(
    { version },
    1,
  );
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory of the process",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  addTotal(registry, "process_cpu_seconds_total", "Processor time of the process", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
}

/** A total that is kept elsewhere. */
function addTotal(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
