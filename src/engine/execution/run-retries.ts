import type { Json } from "../../contract/json.ts";
import type { RunError } from "../../contract/run.ts";
import type { DueRecord } from "../../store/store.ts";
import type { RunFold } from "../graph/fold.ts";
import type { RunJournal } from "./run-journal.ts";
import { type StepState, iterationOf } from "../graph/scope-state.ts";
import type { World } from "../world.ts";

/** Always worth another attempt; an LLM's failure says of itself whether it is (contract 5). */
const retryable: ReadonlySet<string> = new Set(["RATE_LIMITED", "UPSTREAM_ERROR", "TIMEOUT", "LLM_TIMEOUT"]);

const firstMs = 1000;
const mostMs = 30_000;
const mostAskedMs = 60_000;

/** Names a step in its iteration among the moments of a run. */
export function stepOwner(step: StepState): string {
  const iteration = iterationOf(step);
  return iteration === null ? step.node.id : `${step.node.id}:${iteration.join(",")}`;
}

type Retry = { at: number; error: RunError };

/** Steps of one run that back off before their next attempt. Each is durable as a moment, so that no crash puts it in doubt. */
export class RunRetries {
  readonly #journal: RunJournal;
  readonly #world: Pick<World, "now" | "random">;
  readonly #pending = new Map<StepState, Retry>();

  constructor(journal: RunJournal, world: Pick<World, "now" | "random">) {
    this.#journal = journal;
    this.#world = world;
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

  /** Has the step tried again later; false when the error or the node's setting does not allow it. */
  schedule(step: StepState, error: RunError): boolean {
    const { settings, type } = step.node;
    const isWorthIt = retryable.has(error.code) || (error.code === "LLM_FAILED" && error.retryable === true);
    if (!isWorthIt || step.attempt > settings.maxRetries || type.ignores?.includes("maxRetries")) return false;
    const at = this.#world.now().getTime() + this.#delayMs(step.attempt, error);
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

  /** Between half and all of a time that doubles; what the other side asks for, when that is longer. */
  #delayMs(attempt: number, { retryAfterMs = 0 }: RunError): number {
    const whole = Math.min(mostMs, firstMs * 2 ** (attempt - 1));
    const own = whole * (0.5 + this.#world.random() / 2);
    return Math.round(Math.max(own, Math.min(retryAfterMs, mostAskedMs)));
  }
}
