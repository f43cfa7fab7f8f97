import type { RunObserver } from "../engine/execution/run-observer.ts";

/** Upper bounds in seconds: from pure steps of a millisecond up to the watchdog of a language model. */
const bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type Kept = { counts: number[]; sum: number };

export type StepDurations = {
  observe: RunObserver;
  /** The lines of a histogram as Prometheus reads it. */
  render(): string;
};

/**
 * How long steps took, by the type of their node, once their end is durable. Kept here and worded by hand, because the
 * library would have to be loaded before the first step, watched or not.
 */
export function countStepDurations(): StepDurations {
  const byType = new Map<string, Kept>();

  function add(type: string, seconds: number): void {
    const kept = byType.get(type) ?? { counts: bounds.map(() => 0).concat(0), sum: 0 };
    byType.set(type, kept);
    const found = bounds.findIndex((bound) => seconds <= bound);
    const place = found === -1 ? bounds.length : found;
    kept.counts[place] = (kept.counts[place] ?? 0) + 1;
    kept.sum += seconds;
  }

  return {
    observe({ graph, commit }) {
      for (const { durationMs, stepId, isCopied } of commit.events) {
        const type = graph.byId.get(stepId)?.type.type;
        if (durationMs !== undefined && type !== undefined && !isCopied) add(type, durationMs / 1000);
      }
    },
    render() {
      const head = `# HELP ${name} How long steps took from their start to their end, by type of node\n# TYPE ${name} histogram\n`;
      return head + [...byType].map(([type, kept]) => linesOf(type, kept)).join("");
    },
  };
}

const name = "stepgate_step_duration_seconds";

function linesOf(type: string, { counts, sum }: Kept): string {
  let below = 0;
  const buckets = counts.map((count, index) => {
    below += count;
    return `${name}_bucket{le="${bounds[index] ?? "+Inf"}",type="${type}"} ${below}\n`;
  });
  return `${buckets.join("")}${name}_sum{type="${type}"} ${sum}\n${name}_count{type="${type}"} ${below}\n`;
}
