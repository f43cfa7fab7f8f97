import type { Json } from "../../contract/json.ts";
import type { Iteration } from "../../contract/run.ts";
import { maxOutputBytes } from "../../contract/limits.ts";
import type { CallPlace, ConnectorCalls } from "../connector.ts";
import type { Graph } from "../graph/graph.ts";
import { exceedsJsonBytes } from "../values/json-size.ts";
import type { NodeContext, StepError, StepLimits, StepOutcome } from "../node.ts";
import { type StepState, iterationOf } from "../graph/scope-state.ts";
import type { ScriptRunner } from "../script.ts";
import { stepTimeout, thrownError, tooLargeOutput } from "./step-errors.ts";
import { firstUpstream, inputsByHandle } from "../graph/step-inputs.ts";
import { type NamedValues, withoutSecrets } from "../templates/named-values.ts";
import { type RunRoot, templateScope, withLocals } from "../templates/template-scope.ts";
import type { World } from "../world.ts";

/** How an attempt ended; `timed_out` is the watchdog's word, not the handler's. */
export type AttemptResult =
  | Exclude<StepOutcome, { kind: "fail" }>
  | { kind: "fail" | "timed_out"; error: StepError; output?: Json };

/** A line of text that a step tells those who look into its run. */
export type StepLine = { stepId: string; iteration: Iteration; attempt: number; text: string };

export type StepWorld = Pick<World, "now" | "random" | "after" | "fetch">;

/** What a step runs on: where its values come from, and who may stop it. */
export type StepRun = {
  graph: Graph;
  run: RunRoot;
  input: Json;
  limits: StepLimits;
  world: StepWorld;
  awaitsResponse(): boolean;
  /** The workspace's variables and secrets. */
  values: NamedValues;
  scripts: Pick<ScriptRunner, "run">;
  callsOf(place: Omit<CallPlace, "workspaceId" | "runId" | "traceparent">): ConnectorCalls;
  log(line: StepLine): void;
};

/**
 * The node's config with its templates resolved: `inputData` of the step (contract 5). Secrets read `[REDACTED]` in it, and
 * have to be there: the attempt puts them in. Texts may outgrow their limit.
 */
export function resolveConfig(
  step: StepState,
  on: StepRun,
): { config: { [key: string]: Json }; error: StepError | null } {
  try {
    const config = step.node.templates.resolve(templateScope(on, step, withoutSecrets(on.values)));
    return { config, error: null };
  } catch (thrown) {
    return { config: {}, error: { ...thrownError(thrown), code: "VALIDATION_ERROR" } };
  }
}

/** What a step's gate asks for, with its templates resolved; null when nothing was written or it can't be resolved. */
export function describeGate(step: StepState, on: StepRun): string | null {
  try {
    return step.node.templates.describeGate(templateScope(on, step, withoutSecrets(on.values)));
  } catch (thrown) {
    return thrownError(thrown).message;
  }
}

/**
 * Runs one attempt of a step on its resolved config. Pure handlers answer at once, without a turn of the event loop;
 * others answer later, or are cut off by their watchdog or by `abort`.
 */
export function runAttempt(
  step: StepState,
  config: { [key: string]: Json },
  on: StepRun,
  abort: AbortController,
): AttemptResult | Promise<AttemptResult> {
  try {
    const revealed = step.node.templates.reveal(config, () => templateScope(on, step, on.values));
    const partial: PartialOutput = { read: () => undefined };
    const outcome = step.node.bound.run(stepContext(step, revealed, on, { signal: abort.signal, partial }));
    if (outcome instanceof Promise) return watch(outcome, step, on, { abort, partial });
    return checkOutcome(outcome);
  } catch (thrown) {
    return { kind: "fail", error: thrownError(thrown) };
  }
}

/** What a handler keeps ready for the end that its watchdog may put to it. */
type PartialOutput = { read(error: StepError): Json | undefined };

function checkOutcome(outcome: StepOutcome): AttemptResult {
  if ((outcome.kind === "done" || outcome.kind === "respond") && exceedsJsonBytes(outcome.output, maxOutputBytes)) {
    return { kind: "fail", error: tooLargeOutput(maxOutputBytes) };
  }
  return outcome;
}

async function watch(
  outcome: Promise<StepOutcome>,
  step: StepState,
  on: StepRun,
  { abort, partial }: { abort: AbortController; partial: PartialOutput },
): Promise<AttemptResult> {
  const limit = step.node.bound.timeoutMs(on.limits);
  const { promise: overrun, resolve } = Promise.withResolvers<AttemptResult>();
  const cancel =
    limit === null
      ? null
      : on.world.after(limit, () => {
          const error = stepTimeout(limit);
          const output = partial.read(error);
          resolve({ kind: "timed_out", error, ...(output !== undefined && { output }) });
          abort.abort(new DOMException("The step exceeded its time-out", "TimeoutError"));
        });
  const answer = outcome.then(checkOutcome, (thrown: unknown): AttemptResult => {
    return { kind: "fail", error: thrownError(thrown) };
  });
  const result = await Promise.race([answer, overrun]);
  cancel?.();
  return result;
}

function stepContext(
  step: StepState,
  config: { [key: string]: Json },
  on: StepRun,
  { signal, partial }: { signal: AbortSignal; partial: PartialOutput },
): NodeContext<unknown> {
  const { node } = step;
  const at = { stepId: node.id, iteration: iterationOf(step), attempt: step.attempt };
  const log = (text: string): void => on.log({ ...at, text });
  return {
    config,
    get upstream() {
      return firstUpstream(step);
    },
    get inputs() {
      return inputsByHandle(step);
    },
    render(pointer, locals) {
      return node.templates.renderLate(pointer, config, () => withLocals(templateScope(on, step, on.values), locals));
    },
    origin(pointer) {
      const reference = node.templates.referenceAt(pointer);
      if (!reference) return null;
      return templateScope(on, step, on.values).locate(reference.root, reference.path);
    },
    run: {
      id: on.run.id,
      source: on.run.source,
      get awaitsResponse() {
        return on.awaitsResponse();
      },
    },
    step: { id: node.id, iteration: at.iteration, attempt: at.attempt },
    now: () => on.world.now(),
    random: () => on.world.random(),
    limits: on.limits,
    fetch: on.world.fetch,
    get calls() {
      return on.callsOf({ ...at, signal, log });
    },
    signal,
    keepPartial(read) {
      partial.read = read;
    },
    runScript: async (code, inputs) => on.scripts.run({ code, inputs, now: on.world.now(), signal, log }),
    log,
  };
}
