import type { Iteration, Step, StepStatus } from "../../contract/run.ts";
import type { EventRecord } from "../../store/store.ts";

/** Display facts of a node that its steps carry. */
export type NodeFacts = { type: string; name: string | null };

/** The steps of a run, folded out of its journal event by event (contract 6). */
export type Timeline = {
  add(event: EventRecord): void;
  /** The last steps, in the order of their first events. */
  steps(): Step[];
  /** All steps, also those that are no longer kept. */
  total(): number;
};

const statusAfter: Record<EventRecord["type"], StepStatus> = {
  step_started: "running",
  step_completed: "completed",
  step_failed: "failed",
  step_failed_continued: "failed_continued",
  step_skipped: "skipped",
  step_timed_out: "timed_out",
  step_pending_approval: "pending_approval",
  step_waiting: "waiting",
};

const ended: ReadonlySet<StepStatus> = new Set(["completed", "failed", "failed_continued", "skipped", "timed_out"]);

/** Keeps the last `keep` steps in full and of the older ones no more than that they were. */
export function createTimeline(factsOf: (nodeId: string) => NodeFacts, keep: number): Timeline {
  const kept = new Map<string, Step>();
  const dropped = new Set<string>();

  function stepOf(event: EventRecord, key: string): Step {
    const known = kept.get(key);
    if (known) return known;
    const step = newStep(event.stepId, event.iteration, factsOf(event.stepId));
    kept.set(key, step);
    const oldest = kept.size > keep ? kept.keys().next().value : undefined;
    if (oldest !== undefined) {
      kept.delete(oldest);
      dropped.add(oldest);
    }
    return step;
  }

  return {
    add(event) {
      const key = event.iteration === null ? event.stepId : `${event.stepId}:${event.iteration.join(",")}`;
      if (!dropped.has(key)) applyEvent(stepOf(event, key), event);
    },
    steps: () => [...kept.values()],
    total: () => kept.size + dropped.size,
  };
}

function newStep(stepId: string, iteration: Iteration, { type, name }: NodeFacts): Step {
  return {
    step_id: stepId,
    iteration,
    type,
    name,
    status: "running",
    attempt: 1,
    input: null,
    output: null,
    error: null,
    started_at: null,
    completed_at: null,
    duration_ms: null,
  };
}

function applyEvent(step: Step, event: EventRecord): void {
  const at = new Date(event.createdAt).toISOString();
  step.status = statusAfter[event.type];
  step.attempt = event.attempt;
  if (event.inputData !== undefined) step.input = event.inputData;
  if (event.outputData !== undefined) step.output = event.outputData;
  // A later attempt carries the error of the one before; one that went well has none.
  step.error = event.error ?? null;
  if (event.type === "step_started") step.started_at ??= at;
  if (!ended.has(step.status)) return;
  step.completed_at = at;
  step.duration_ms =
    event.durationMs ?? (step.started_at === null ? null : Math.max(0, event.createdAt - Date.parse(step.started_at)));
}
