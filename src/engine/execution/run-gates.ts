import type { Json } from "../../contract/json.ts";
import type { ApprovalRecord, NewApproval, RunRecord, Store } from "../../store/store.ts";
import type { RunFold } from "../graph/fold.ts";
import type { KnownSecrets } from "../redaction/known-secrets.ts";
import { redact } from "../redaction/redact.ts";
import { type StepState, iterationOf } from "../graph/scope-state.ts";
import type { World } from "../world.ts";

type Pending = { id: string; step: StepState | null };

/**
 * The gates of one run: at most one request is pending, the others queue (contract 7). A grant is no event: who executes
 * the run reads it from the store when it loads the run and whenever it is told to look.
 */
export class RunGates {
  readonly #store: Store;
  readonly #run: RunRecord;
  #pending: Pending | null = null;

  constructor(store: Store, run: RunRecord) {
    this.#store = store;
    this.#run = run;
  }

  get isPending(): boolean {
    return this.#pending !== null;
  }

  /** The gate before the whole run has not been passed: nothing may start. */
  get isClosed(): boolean {
    return this.#pending?.step === null;
  }

  /** Reads where the gates stand; returns the steps that were approved and have not started. */
  async load(fold: RunFold): Promise<StepState[]> {
    const gated = fold
      .inProgress()
      .toArray()
      .filter(({ status }) => status === "pending_approval");
    if (gated.length === 0 && this.#run.status !== "waiting_for_approval") return [];
    const requests = await this.#store.listRunApprovals(this.#run.id);
    const closed = requests.find(({ stepId, status }) => stepId === null && status === "pending");
    if (closed) this.#pending = { id: closed.id, step: null };
    return gated.filter((step) => {
      const request = requests.find((each) => isOf(each, step));
      if (request?.status === "pending") this.#pending = { id: request.id, step };
      return request?.status === "approved";
    });
  }

  /** Asks whether the pending request was approved; returns its step, if it has one. */
  async look(): Promise<StepState | null> {
    const pending = this.#pending;
    const request = pending && (await this.#store.findApproval(this.#run.workspaceId, pending.id));
    if (request?.status !== "approved" || this.#pending !== pending) return null;
    this.#pending = null;
    return pending?.step ?? null;
  }

  /** A step's request is now the pending one. */
  open(id: string, step: StepState): void {
    this.#pending = { id, step };
  }

  /** True when it was this step's request that was pending. */
  drop(step: StepState): boolean {
    if (this.#pending?.step !== step) return false;
    this.#pending = null;
    return true;
  }
}

function isOf(request: ApprovalRecord, step: StepState): boolean {
  return request.stepId === step.node.id && String(request.iteration) === String(iterationOf(step));
}

export type Gate = { stepId: string | null; iteration: number[] | null; inputs: Json; description: string | null };

/** A request for a gate that was reached, redacted like every payload (contract 15). */
export function newApproval(
  { stepId, iteration, inputs, description }: Gate,
  { now, newId }: Pick<World, "now" | "newId">,
  expirySeconds: number,
  known: KnownSecrets | null,
): NewApproval {
  const createdAt = now().getTime();
  const shown = redact(inputs, known);
  const words = redact(description, known);
  return {
    id: newId(),
    stepId,
    iteration,
    inputs: shown.value,
    redactedCount: shown.count + words.count,
    description: typeof words.value === "string" ? words.value : null,
    createdAt,
    expiresAt: createdAt + expirySeconds * 1000,
  };
}
