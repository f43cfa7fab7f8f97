import { Counter, Gauge, type Metric, Registry } from "prom-client";
import { runStatuses } from "../contract/run.ts";
import type { Numbers } from "./metrics.ts";

/** Makes the metrics of a daemon's numbers; the function that it returns reads them all. */
export function createPrometheus(numbers: Numbers): () => Promise<{ text: string; type: string }> {
  const registry = new Registry();
  const metrics = [
    ...ofRuns(numbers),
    ...ofStore(numbers),
    ofRefusals(numbers),
    ofBreakers(numbers),
    ...ofProcess(numbers),
  ];
  for (const metric of metrics) registry.registerMetric(metric);
  return async () => ({ text: (await registry.metrics()) + numbers.steps.render(), type: registry.contentType });
}

/** Keeps a metric out of the library's own, global registry. */
const registers: Registry[] = [];

function ofRuns({ store, activeRuns, ended }: Numbers): Metric[] {
  return [
    new Gauge({
      name: "stepgate_runs",
      help: "Runs that are kept, by status; accepted ones are the queue",
      labelNames: ["status"],
      registers,
      async collect() {
        const counts = new Map((await store.countRuns()).map(({ status, n }) => [status, n]));
        for (const status of runStatuses) this.set({ status }, counts.get(status) ?? 0);
      },
    }),
    gauge("stepgate_active_runs", "Runs that execute now", activeRuns),
    totals("stepgate_runs_ended_total", "Runs that ended, by status", "status", ended),
  ];
}

function ofStore({ store }: Numbers): Metric[] {
  return [
    total("stepgate_store_commits_total", "Transactions that are durable", () => store.stats().commits),
    total("stepgate_store_writes_total", "Writes in these transactions", () => store.stats().writes),
  ];
}

function ofRefusals({ refused }: Numbers): Metric {
  const help = "Requests without a valid key (unauthorized) or beyond their key's rate (rate_limit)";
  return totals("stepgate_requests_refused_total", help, "reason", refused);
}

function ofBreakers({ breakers }: Numbers): Metric {
  return new Gauge({
    name: "stepgate_circuit_open",
    help: "1 for each integration whose circuit breaker is open; connection is its id, or the host called without one",
    labelNames: ["workspace", "connector", "connection"],
    registers,
    async collect() {
      this.reset();
      for (const { workspaceId, connector, connectionId, target, status } of await breakers()) {
        const labels = { workspace: String(workspaceId), connector, connection: connectionId ?? target ?? "" };
        this.set(labels, status === "closed" ? 0 : 1);
      }
    },
  });
}

function ofProcess({ version, eventLoopDelay, eventLoopBeat }: Numbers): Metric[] {
  const info = new Gauge({ name: "stepgate_info", help: "Which Stepgate this is", labelNames: ["version"], registers });
  info.set({ version }, 1);
  return [
    info,
    gauge("process_resident_memory_bytes", "Memory of the process", () => process.memoryUsage.rss()),
    total("process_cpu_seconds_total", "Processor time of the process", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    new Gauge({
      name: "stepgate_event_loop_delay_seconds",
      help: "How late the event loop was since the last reading",
      labelNames: ["quantile"],
      registers,
      collect() {
        for (const percent of [50, 99, 100]) {
          const seconds = eventLoopDelay.count === 0 ? 0 : eventLoopDelay.percentile(percent) / 1e9;
          // Node counts from look to look: a loop that is never late shows the beat itself.
          this.set({ quantile: String(percent / 100) }, Math.max(0, seconds - eventLoopBeat / 1000));
        }
        eventLoopDelay.reset();
      },
    }),
  ];
}

function gauge(name: string, help: string, read: () => number): Metric {
  return new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}

/** A total that is kept elsewhere. */
function total(name: string, help: string, read: () => number): Metric {
  return new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Totals that are kept elsewhere, one for each value of a label. */
function totals(name: string, help: string, label: string, counts: ReadonlyMap<string, number>): Metric {
  return new Counter({
    name,
    help,
    labelNames: [label],
    registers,
    collect() {
      this.reset();
      for (const [value, n] of counts) this.inc({ [label]: value }, n);
    },
  });
}
