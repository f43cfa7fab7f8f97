import type { EventType, JournalEvent } from "../../../contract/journal.ts";
import type { RunDetail, Step, StepStatus } from "../../../contract/run.ts";
import type { WorkflowDetail } from "../../../contract/workflow-api.ts";
import type { NodeStatus } from "../draw/theme.ts";
import { emptyList, type ListState } from "./list.ts";

/** Events and steps of the open run that are kept, the newest ones (cli.md, measured fact 6). */
export const keptEvents = 5000;
const keptSteps = 1000;

export type Pane = "steps" | "journal" | "payload";
export type Part = "input" | "output" | "error";

export type Definition = Pick<WorkflowDetail["definition"], "nodes" | "edges">;

export type RunState = {
  id: string;
  detail: RunDetail | null;
  /** Why it could not be read. */
  problem: string | null;
  /** By step and iteration, in the order of their first events. */
  steps: ReadonlyMap<string, Step>;
  events: readonly JournalEvent[];
  definition: Definition | null;
  pane: Pane;
  /** Selected step, by its key; null stands for the run itself. */
  list: ListState;
  part: Part;
  isFollowing: boolean;
  /** First line shown of the journal and of the payload. */
  journalTop: number;
  payload: ListState;
  folds: ReadonlyMap<string, boolean>;
};

export function openedRun(id: string): RunState {
  return {
    id,
    detail: null,
    problem: null,
    steps: new Map(),
    events: [],
    definition: null,
    pane: "steps",
    list: emptyList,
    part: "input",
    isFollowing: true,
    journalTop: 0,
    payload: emptyList,
    folds: new Map(),
  };
}

/** What a step is in after an event of it. */
export const statusAfter: Record<EventType, StepStatus> = {
  step_started: "running",
  step_completed: "completed",
  step_failed: "failed",
  step_failed_continued: "failed_continued",
  step_skipped: "skipped",
  step_timed_out: "timed_out",
  step_pending_approval: "pending_approval",
  step_waiting: "waiting",
};

function stepKey({ step_id, iteration }: Pick<Step, "step_id" | "iteration">): string {
  return iteration === null ? step_id : `${step_id}[${iteration.join(",")}]`;
}

/** Takes events of the journal in, each once; the oldest are let go. */
export function takeEvents(run: RunState, events: readonly JournalEvent[]): RunState {
  const last = run.events.at(-1)?.seq ?? 0;
  const fresh = events.filter(({ seq }) => seq > last);
  if (fresh.length === 0) return run;
  const steps = new Map(run.steps);
  for (const event of fresh) applyEvent(steps, event);
  for (const key of [...steps.keys()].slice(0, Math.max(0, steps.size - keptSteps))) steps.delete(key);
  return { ...run, steps, events: [...run.events, ...fresh].slice(-keptEvents) };
}

function applyEvent(steps: Map<string, Step>, event: JournalEvent): void {
  const key = stepKey(event);
  const known = steps.get(key) ?? newStep(event);
  const isStart = event.type === "step_started";
  const isOver = !["running", "waiting", "pending_approval"].includes(statusAfter[event.type]);
  const started_at = known.started_at ?? (isStart ? event.created_at : null);
  steps.set(key, {
    ...known,
    status: statusAfter[event.type] ?? known.status,
    attempt: event.attempt,
    input: event.inputData === undefined ? known.input : event.inputData,
    output: event.outputData === undefined ? known.output : event.outputData,
    error: event.error ?? null,
    started_at,
    completed_at: isOver ? event.created_at : null,
    duration_ms: isOver ? (event.durationMs ?? between(started_at, event.created_at)) : null,
  });
}

function between(from: string | null, to: string): number | null {
  return from === null ? null : Date.parse(to) - Date.parse(from);
}

function newStep({ step_id, iteration, attempt }: JournalEvent): Step {
  const nothing = { input: null, output: null, error: null, started_at: null, completed_at: null, duration_ms: null };
  return { step_id, iteration, type: "", name: null, status: "running", attempt, ...nothing };
}

/** Where a run comes in: it is no step, and over as soon as there is a run. */
export function isEntry(type: string): boolean {
  return type === "action_input" || type === "trigger";
}

/** A line of the list of steps. */
export type StepRow = { key: string; title: string; status: NodeStatus; took: number | null; step: Step | null };

/** Steps in the order in which they began, then nodes of the workflow that the run has not reached. */
export function stepRows({ steps, definition }: Pick<RunState, "steps" | "definition">): StepRow[] {
  const begun = [...steps].map(([key, step]): StepRow => ({
    key,
    title: key,
    status: step.status,
    took: step.duration_ms,
    step,
  }));
  const seen = new Set([...steps.values()].map(({ step_id }) => step_id));
  const rest = (definition?.nodes ?? []).filter(({ id, type }) => !seen.has(id) && !isEntry(type));
  return [
    ...begun,
    ...rest.map(({ id }): StepRow => ({ key: id, title: id, status: "not_reached", took: null, step: null })),
  ];
}

/** What the payload pane shows: a part of the selected step, or of the run where none is selected. */
export function shownPayload(run: RunState): { title: string; value: unknown } {
  const { selected } = run.list;
  const source = selected === null ? run.detail : run.steps.get(selected);
  return { title: selected ?? "run", value: source?.[run.part] ?? null };
}
