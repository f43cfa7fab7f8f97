import { type RunStatus, isTerminal } from "../../contract/run.ts";
import type { CommittedRun, RunObserver } from "../../engine/execution/run-observer.ts";
import type { NewEvent } from "../../store/store.ts";
import type { Span, SpanSink } from "./span.ts";
import { runContext, stepContext } from "./trace-context.ts";

/** Attempts of a step, from the first on. */
type OpenStep = { startedAt: number; retries: Span["events"][number][] };

const stepEnds: ReadonlySet<NewEvent["type"]> = new Set([
  "step_completed",
  "step_failed",
  "step_failed_continued",
  "step_timed_out",
]);

/**
 * Makes the spans of runs and steps when they have ended and that is durable. A step that an earlier daemon began has the
 * time of its last attempt alone.
 */
export function createRunSpans(sink: SpanSink): RunObserver {
  const open = new Map<string, Map<string, OpenStep>>();
  return (committed) => {
    const { run, commit } = committed;
    const steps = open.get(run.id) ?? new Map<string, OpenStep>();
    for (const event of commit.events) noteEvent(committed, event, steps, sink);
    const isEnd = commit.status !== undefined && isTerminal(commit.status);
    // Who takes it up again starts afresh; so does memory.
    if (isEnd || commit.release || steps.size === 0) open.delete(run.id);
    else open.set(run.id, steps);
    if (isEnd && commit.status) sink.send(runSpan(committed, commit.status));
  };
}

function noteEvent(committed: CommittedRun, event: NewEvent, steps: Map<string, OpenStep>, sink: SpanSink): void {
  const key = `${event.stepId} ${event.iteration?.join(",") ?? ""}`;
  if (event.type === "step_started") return noteStart(steps, key, event);
  if (!stepEnds.has(event.type)) return;
  sink.send(stepSpan(committed, event, steps.get(key)));
  steps.delete(key);
}

function noteStart(steps: Map<string, OpenStep>, key: string, { createdAt, attempt, error }: NewEvent): void {
  const step = steps.get(key);
  if (!step) return void steps.set(key, { startedAt: createdAt, retries: [] });
  const attributes = { "stepgate.attempt": attempt, ...(error && { "error.type": error.code }) };
  step.retries.push({ name: "retry", at: createdAt, attributes });
}

function stepSpan({ run, graph }: CommittedRun, event: NewEvent, step: OpenStep | undefined): Span {
  const { stepId, iteration, attempt, createdAt, durationMs = 0, error } = event;
  return {
    context: stepContext(run, stepId, iteration),
    parent: runContext(run),
    name: `step ${stepId}`,
    kind: "internal",
    startedAt: step?.startedAt ?? createdAt - durationMs,
    endedAt: createdAt,
    isError: event.type !== "step_completed",
    attributes: {
      "stepgate.run.id": run.id,
      "stepgate.step.id": stepId,
      "stepgate.node.type": graph.byId.get(stepId)?.type.type ?? "",
      "stepgate.attempt": attempt,
      ...(iteration && { "stepgate.step.iteration": iteration.join(",") }),
      ...(error && { "error.type": error.code }),
    },
    events: step?.retries ?? [],
  };
}

function runSpan({ run, commit }: CommittedRun, status: RunStatus): Span {
  const { parent, ...context } = runContext(run);
  return {
    context,
    parent,
    name: run.actionSlug === null ? "run" : `run ${run.actionSlug}`,
    kind: "internal",
    startedAt: run.createdAt,
    endedAt: commit.at,
    isError: status === "failed" || status === "timed_out",
    attributes: {
      "stepgate.run.id": run.id,
      "stepgate.run.status": status,
      "stepgate.run.source": run.source,
      "stepgate.workflow.id": run.workflowId,
      "stepgate.workflow.version": run.version,
      ...(run.actionSlug !== null && { "stepgate.action.slug": run.actionSlug }),
      ...(commit.error && { "error.type": commit.error.code }),
    },
    events: [],
  };
}
