import type { Json } from "../../contract/json.ts";
import type { RunError, RunStatus } from "../../contract/run.ts";
import type {
  ApprovalDecision,
  DueOwner,
  NewApproval,
  NewDue,
  NewEvent,
  RunCommit,
  RunRecord,
  Store,
} from "../../store/store.ts";
import { redact } from "../redaction/redact.ts";
import { redactEvent, redactPayloads } from "../redaction/seal-payload.ts";
import type { Sealer } from "../redaction/seal.ts";

/** Somebody else has taken the run over, or it has moved on: whoever sees this stops without another word. */
export class FencedError extends Error {
  constructor(runId: string) {
    super(`Run ${runId} is executed under a newer epoch or is over`);
    this.name = "FencedError";
  }
}

/** How a commit leaves the run, beside the events. */
export type RunMove = {
  status: RunStatus;
  output?: Json;
  error?: RunError | null;
  release?: NonNullable<RunCommit["release"]>;
} & Pick<RunCommit, "health" | "followUp">;

/** What gathers until the next commit. */
type Batch = { events: NewEvent[]; addDue: NewDue[]; removeDue: DueOwner[]; request?: NewApproval; withdraw: boolean };

const running: RunMove = { status: "running" };

function emptyBatch(): Batch {
  return { events: [], addDue: [], removeDue: [], withdraw: false };
}

/**
 * The one writer of a run. Events gather until `flush`; commits go out in order, each fenced by epoch and by the number
 * of the event before it, so the journal on disk is always a prefix of what happened. Payloads are redacted on their way,
 * and where that changes them the originals go along sealed.
 */
export class RunJournal {
  readonly #store: Store;
  readonly #sealer: Sealer;
  readonly #runId: string;
  readonly #epoch: number;
  readonly #now: () => number;
  readonly #monotonicMs: () => number;
  #claim: boolean;
  #seq: number;
  #status: RunStatus;
  #batch = emptyBatch();
  #activeSince: number;
  /** A commit that may be refused is under way: later ones wait for what came of it. */
  #undecided: Promise<unknown> | null = null;

  constructor(
    { store, sealer }: { store: Store; sealer: Sealer },
    run: RunRecord,
    world: { now(): Date; monotonicMs(): number },
  ) {
    this.#store = store;
    this.#sealer = sealer;
    this.#runId = run.id;
    this.#claim = !run.held;
    this.#epoch = this.#claim ? run.epoch + 1 : run.epoch;
    this.#seq = run.seq;
    this.#status = run.status;
    this.#now = () => world.now().getTime();
    this.#monotonicMs = () => world.monotonicMs();
    this.#activeSince = this.#monotonicMs();
  }

  /** Events that the next flush takes along. */
  get unflushed(): number {
    return this.#batch.events.length;
  }

  /** Adds an event to the next commit and returns it with its time. */
  append(event: Omit<NewEvent, "createdAt">): NewEvent {
    const timed = { ...event, createdAt: this.#now() };
    this.#batch.events.push(timed);
    return timed;
  }

  addDue(moment: NewDue): void {
    this.#batch.addDue.push(moment);
  }

  removeDue(owner: DueOwner): void {
    this.#batch.addDue = this.#batch.addDue.filter(
      ({ kind, owner: name }) => kind !== owner.kind || name !== owner.owner,
    );
    this.#batch.removeDue.push(owner);
  }

  /** Opens a request with the next commit. */
  request(request: NewApproval): void {
    this.#batch.request = request;
  }

  /** Closes the request that is pending with the next commit, though the run goes on. */
  withdraw(): void {
    if (this.#batch.request) delete this.#batch.request;
    else this.#batch.withdraw = true;
  }

  /**
   * Writes what has gathered; settles when it is durable. Without a move the run is running. Rejects with FencedError when
   * the run is not ours any more.
   */
  async flush(move: RunMove = running): Promise<void> {
    while (this.#undecided) await this.#undecided;
    const { events, addDue, removeDue } = this.#batch;
    const isNew = events.length + addDue.length + removeDue.length > 0 || move.status !== this.#status;
    if (!isNew && !move.release && !this.#claim) return;
    const commit = this.#commitOf(this.#batch, move);
    this.#batch = emptyBatch();
    this.#claim = false;
    this.#status = move.status;
    this.#seq += events.length;
    this.#activeSince += commit.activeMs;
    const written = await this.#store.commitRun(commit);
    if (!written) throw new FencedError(this.#runId);
  }

  /**
   * Ends the run from outside: one commit with what has gathered, `closing` and the decision. False when the decision
   * came too late or the run is not ours any more; then everything stands as before.
   */
  async tryEnd(
    closing: readonly Omit<NewEvent, "createdAt">[],
    move: RunMove,
    decision?: ApprovalDecision,
  ): Promise<boolean> {
    const createdAt = this.#now();
    const events = [...this.#batch.events, ...closing.map((event) => ({ ...event, createdAt }))];
    const commit = this.#commitOf({ ...this.#batch, events }, move);
    const written = this.#store.commitRun(decision ? { ...commit, decision } : commit);
    this.#undecided = written.catch(() => undefined);
    try {
      return await written;
    } finally {
      this.#undecided = null;
    }
  }

  #commitOf({ events: happened, addDue, removeDue, request, withdraw }: Batch, move: RunMove): RunCommit {
    const events = happened.map((event, index) => redactEvent(this.#sealer, this.#runId, this.#seq + 1 + index, event));
    const result = redactPayloads(this.#sealer, this.#runId, "result", move);
    const sealed = [...events.flatMap((redacted) => redacted.sealed), ...result.sealed];
    return {
      runId: this.#runId,
      epoch: this.#epoch,
      claim: this.#claim,
      seq: this.#seq,
      events: events.map(({ event }) => event),
      ...(sealed.length > 0 && { sealed }),
      activeMs: Math.round(this.#monotonicMs() - this.#activeSince),
      at: this.#now(),
      ...(addDue.length > 0 && { addDue: addDue.map(redactDetail) }),
      ...(removeDue.length > 0 && { removeDue }),
      ...(request && { request }),
      ...(withdraw && { withdraw }),
      ...result.payloads,
    };
  }
}

/** What a moment carries is shown and never computed with. */
function redactDetail(moment: NewDue): NewDue {
  return moment.detail === undefined ? moment : { ...moment, detail: redact(moment.detail).value };
}
