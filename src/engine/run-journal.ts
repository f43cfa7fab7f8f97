import type { Json } from "../contract/json.ts";
import type { RunError, RunStatus } from "../contract/run.ts";
import type { NewEvent, RunRecord, Store } from "../store/store.ts";

/** Somebody else has taken the run over, or it has moved on: whoever sees this stops without another word. */
export class FencedError extends Error {
  constructor(runId: string) {
    super(`Run ${runId} is executed under a newer epoch or is over`);
    this.name = "FencedError";
  }
}

/** How a commit leaves the run, beside the events. */
export type RunMove = { status: RunStatus; output?: Json; error?: RunError | null };

/**
 * The one writer of a run. Events gather until `flush`; commits go out in order, each fenced by epoch and by the number
 * of the event before it, so the journal on disk is always a prefix of what happened.
 */
export class RunJournal {
  readonly #store: Store;
  readonly #runId: string;
  readonly #epoch: number;
  readonly #now: () => number;
  readonly #monotonicMs: () => number;
  #claim: boolean;
  #seq: number;
  #events: NewEvent[] = [];
  #activeSince: number;

  constructor(store: Store, run: RunRecord, world: { now(): Date; monotonicMs(): number }) {
    this.#store = store;
    this.#runId = run.id;
    this.#claim = run.status === "accepted";
    this.#epoch = this.#claim ? run.epoch + 1 : run.epoch;
    this.#seq = run.seq;
    this.#now = () => world.now().getTime();
    this.#monotonicMs = () => world.monotonicMs();
    this.#activeSince = this.#monotonicMs();
  }

  /** Events that the next flush takes along. */
  get unflushed(): number {
    return this.#events.length;
  }

  append(event: Omit<NewEvent, "createdAt">): void {
    this.#events.push({ ...event, createdAt: this.#now() });
  }

  /** Writes what has gathered; settles when it is durable. Rejects with FencedError when the run is not ours any more. */
  async flush(move?: RunMove): Promise<void> {
    if (this.#events.length === 0 && !move && !this.#claim) return;
    const events = this.#events;
    const activeMs = Math.round(this.#monotonicMs() - this.#activeSince);
    const commit = {
      runId: this.#runId,
      epoch: this.#epoch,
      claim: this.#claim,
      seq: this.#seq,
      events,
      activeMs,
      at: this.#now(),
      ...move,
    };
    this.#events = [];
    this.#claim = false;
    this.#seq += events.length;
    this.#activeSince += activeMs;
    const written = await this.#store.commitRun(commit);
    if (!written) throw new FencedError(this.#runId);
  }
}
