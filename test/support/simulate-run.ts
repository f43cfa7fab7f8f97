import { defaultLimits } from "../../src/contract/limits.ts";
import type { Json } from "../../src/contract/json.ts";
import {
  type AttemptResult,
  type StepRun,
  resolveConfig,
  runAttempt,
} from "../../src/engine/execution/execute-step.ts";
import { type FoldEvent, RunFold, type RunEnd } from "../../src/engine/graph/fold.ts";
import type { Graph } from "../../src/engine/graph/graph.ts";
import { type StepState, iterationOf } from "../../src/engine/graph/scope-state.ts";

export type Simulation = { events: FoldEvent[]; end: RunEnd };

/**
 * Runs a graph in memory on the fold alone: whatever may happen next happens in the order that `random` picks. Starts
 * from the journal of an earlier run when there is one; steps that it left open run again.
 */
export function simulateRun(
  graph: Graph,
  input: Json,
  random: () => number,
  journal: readonly FoldEvent[] = [],
  onEvent: (fold: RunFold, events: readonly FoldEvent[]) => void = () => undefined,
): Simulation {
  const fold = new RunFold(graph, input);
  const events: FoldEvent[] = [];
  const answers = new Map<StepState, AttemptResult>();
  const record = (event: FoldEvent): void => {
    events.push(event);
    fold.apply(event);
    onEvent(fold, events);
  };
  for (const event of journal) record(event);
  for (const step of fold.inProgress()) if (!step.loop) answers.set(step, attempt(graph, input, step));
  while (!fold.end || fold.decisions.size > 0) {
    const step = failing(fold) ?? pick([...fold.decisions.keys(), ...answers.keys()], random);
    const answer = answers.get(step);
    if (answer && answers.delete(step) && !fold.decisions.has(step)) record(answerEvent(step, answer));
    else decide(graph, input, fold, step, record, answers);
  }
  return { events, end: fold.end };
}

/** What follows from a failure comes first, in its order: the executor never waits with it. */
function failing(fold: RunFold): StepState | undefined {
  for (const [step, { kind }] of fold.decisions) if (kind === "abort" || kind === "fail") return step;
  return undefined;
}

function pick(steps: readonly StepState[], random: () => number): StepState {
  const step = steps[Math.floor(random() * steps.length)];
  if (!step) throw new Error("Nothing can happen and the run is not over");
  return step;
}

function decide(
  graph: Graph,
  input: Json,
  fold: RunFold,
  step: StepState,
  record: (event: FoldEvent) => void,
  answers: Map<StepState, AttemptResult>,
): void {
  const decision = fold.decisions.get(step);
  const at = { stepId: step.node.id, iteration: iterationOf(step), attempt: 1 };
  if (decision?.kind === "skip") return record({ type: "step_skipped", ...at });
  if (decision?.kind === "complete") return record({ type: "step_completed", outputData: decision.output, ...at });
  if (decision?.kind === "abort") {
    answers.delete(step);
    return record({ type: "step_failed", error: { code: "UNKNOWN", message: "aborted" }, ...at });
  }
  if (decision?.kind === "fail") {
    const type = decision.continued ? "step_failed_continued" : "step_failed";
    return record({ type, error: decision.error, ...at });
  }
  record({ type: "step_started", inputData: resolveConfig(step, stepRun(graph, input)).config, ...at });
  const answer = attempt(graph, input, step);
  if (answer.kind !== "iterate") answers.set(step, answer);
}

function answerEvent(step: StepState, answer: AttemptResult): FoldEvent {
  const at = { stepId: step.node.id, iteration: iterationOf(step), attempt: 1 };
  if (answer.kind === "done" || answer.kind === "respond")
    return { type: "step_completed", outputData: answer.output, ...at };
  if (answer.kind === "wait" || answer.kind === "await_run") throw new Error("A simulation has no time to wait for");
  if (answer.kind === "iterate") throw new Error("A loop ends by its iterations");
  const { code, message } = answer.error;
  const type = step.node.settings.continueOnFailure ? "step_failed_continued" : "step_failed";
  return { type, error: { code, message }, ...at };
}

function attempt(graph: Graph, input: Json, step: StepState): AttemptResult {
  const on = stepRun(graph, input);
  const answer = runAttempt(step, resolveConfig(step, on).config, on, new AbortController());
  if (answer instanceof Promise) throw new Error(`${step.node.id} is not pure`);
  return answer;
}

function stepRun(graph: Graph, input: Json): StepRun {
  return {
    graph,
    input,
    run: { id: "00000000-0000-7000-8000-000000000000", source: "test", started_at: "2026-01-01T00:00:00.000Z" },
    limits: defaultLimits,
    awaitsResponse: () => false,
    world: {
      now: () => new Date(0),
      random: () => 0.5,
      after: () => () => undefined,
      fetch: () => Promise.reject(new Error("no network in a simulation")),
    },
    values: {
      readVariable: () => undefined,
      readSecret: () => {
        throw new Error("no secrets in a simulation");
      },
    },
    scripts: { run: () => Promise.reject(new Error("no scripts in a simulation")) },
    callsOf: () => {
      throw new Error("no calls in a simulation");
    },
    log: () => undefined,
  };
}
