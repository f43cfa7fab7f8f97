import type { Json } from "../../contract/json.ts";
import type { RetrySettings } from "../../contract/outside.ts";
import type { RunError } from "../../contract/run.ts";
import type { DueRecord } from "../../store/store.ts";
import { retryDelayMs } from "./backoff.ts";
import type { RunFold } from "../graph/fold.ts";
import type { RunJournal } from "./run-journal.ts";
import { type StepState, iterationOf } from "../graph/scope-state.ts";
import { stepKey } from "./step-key.ts";
import type { World } from "../world.ts";

/** Always worth another attempt; an LLM's failure says of itself whether it is (contract 5). */
const retryable: ReadonlySet<string> = new Set(["RATE_LIMITED", "UPSTREAM_ERROR", "TIMEOUT", "LLM_TIMEOUT"]);

/** Names a step in its iteration among the moments of a run. */
export function stepOwner(step: StepState): string {
  return stepKey(step.node.id, iterationOf(step));
}

type RetryWorld = Pick<World, "now" | "random" | "monotonicMs">;
type Retry = { at: number; error: RunError };

/** Steps of one run that back off before their next attempt. Each is durable as a moment, so that no crash puts it in doubt. */
export class RunRetries {
  readonly #journal: RunJournal;
  readonly #world: RetryWorld;
  readonly #settings: RetrySettings;
  readonly #deadlineMs: number;
  readonly #pending = new Map<StepState, Retry>();

  /** The run's active time is over at `deadlineMs` of the monotonic clock. */
  constructor(journal: RunJournal, world: RetryWorld, settings: RetrySettings, deadlineMs: number) {
    this.#journal = journal;
    this.#world = world;
    this.#settings = settings;
    this.#deadlineMs = deadlineMs;
  }

  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  has(step: StepState): boolean {
    return this.#pending.has(step);
  }

  /** Takes up the moments of an earlier executor. */
  load(moments: readonly DueRecord[], fold: RunFold): void {
    const retries = new Map(moments.filter(({ kind }) => kind === "retry").map((moment) => [moment.owner, moment]));
    if (retries.size === 0) return;
    for (const step of fold.inProgress()) {
      const moment = step.status === "running" ? retries.get(stepOwner(step)) : undefined;
      if (moment) this.#pending.set(step, { at: moment.at, error: moment.detail as RunError });
    }
  }

  /**
   * Has the step tried again later; false when the error or the node's setting does not allow it, or when the pipeline
   * time-out would come first: then the step's own error says more than the time-out would.
   */
  schedule(step: StepState, error: RunError): boolean {
    const { settings, type } = step.node;
    const isWorthIt = retryable.has(error.code) || (error.code === "LLM_FAILED" && error.retryable === true);
    if (!isWorthIt || step.attempt > settings.maxRetries || type.ignores?.includes("maxRetries")) return false;
    const delayMs = this.#delayMs(step.attempt, error);
    if (this.#world.monotonicMs() + delayMs >= this.#deadlineMs) return false;
    const at = this.#world.now().getTime() + delayMs;
    this.#pending.set(step, { at, error });
    this.#journal.addDue({ kind: "retry", owner: stepOwner(step), at, detail: error as Json });
    return true;
  }

  /** Takes the steps whose moment has come. */
  takeDue(): { step: StepState; error: RunError }[] {
    const now = this.#world.now().getTime();
    const due = [...this.#pending].filter(([, { at }]) => at <= now);
    for (const [step] of due) this.drop(step);
    return due.map(([step, { error }]) => ({ step, error }));
  }

  drop(step: StepState): void {
    if (this.#pending.delete(step)) this.#journal.removeDue({ kind: "retry", owner: stepOwner(step) });
  }

  #delayMs(attempt: number, { retryAfterMs }: RunError): number {
    return retryDelayMs({ attempt, retryAfterMs, random: () => this.#world.random(), ...this.#settings });
  }
}
