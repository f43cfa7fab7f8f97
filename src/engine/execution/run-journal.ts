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
import { type Redactor, redactEvent, redactPayloads } from "../redaction/seal-payload.ts";
import type { Services } from "../services.ts";
import type { World } from "../world.ts";

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
type Batch = {
  events: NewEvent[];
  addDue: NewDue[];
  removeDue: DueOwner[];
  request?: NewApproval;
  withdraw: boolean;
  callbacks: (() => void)[];
};

const running: RunMove = { status: "running" };

/** How long events may stay unseen while brief steps are in progress: most are over by then and need no commit of their own. */
const unseenMs = 10;

function emptyBatch(): Batch {
  return { events: [], addDue: [], removeDue: [], withdraw: false, callbacks: [] };
}

/**
 * The one writer of a run. Events gather until `flush`; commits go out in order, each fenced by epoch and by the number
 * of the event before it, so the journal on disk is always a prefix of what happened. Payloads are redacted on their way,
 * and where that changes them the originals go along sealed.
 */
export class RunJournal {
  readonly #store: Store;
  readonly #tellsPeople: boolean;
  readonly #onDurable: (commit: RunCommit) => void;
  readonly #redactor: () => Redactor;
  readonly #runId: string;
  readonly #epoch: number;
  readonly #now: () => number;
  readonly #monotonicMs: () => number;
  readonly #after: World["after"];
  #claim: boolean;
  #seq: number;
  #status: RunStatus;
  #batch = emptyBatch();
  #activeSince: number;
  /** Why the store failed a commit: what came after it can't stand, and nothing more is written. */
  #failed: { error: unknown } | null = null;
  /** A commit that may be refused is under way: later ones wait for what came of it. */
  #undecided: Promise<unknown> | null = null;
  /** Takes back the flush that is to come. */
  #cancelFlush: (() => void) | null = null;

  constructor(
    { store, sealer, values, tellsPeople }: Pick<Services, "store" | "sealer" | "values" | "tellsPeople">,
    run: RunRecord,
    world: Pick<World, "now" | "monotonicMs" | "after">,
    onDurable: (commit: RunCommit) => void = () => undefined,
  ) {
    this.#store = store;
    this.#tellsPeople = tellsPeople;
    this.#onDurable = onDurable;
    this.#redactor = () => ({ sealer, known: values.known(run.workspaceId) });
    this.#runId = run.id;
    this.#claim = !run.held;
    this.#epoch = this.#claim ? run.epoch + 1 : run.epoch;
    this.#seq = run.seq;
    this.#status = run.status;
    this.#now = () => world.now().getTime();
    this.#monotonicMs = () => world.monotonicMs();
    this.#after = (ms, callback) => world.after(ms, callback);
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

  /** Calls back when what was added so far is durable; never where that fails. */
  whenDurable(callback: () => void): void {
    this.#batch.callbacks.push(callback);
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
   * the run is not ours any more, and with the store's error from the first commit that it failed on.
   */
  async flush(move: RunMove = running): Promise<void> {
    this.close();
    while (this.#undecided) await this.#undecided;
    if (this.#failed) throw this.#failed.error;
    const { events, addDue, removeDue, callbacks } = this.#batch;
    const isNew = events.length + addDue.length + removeDue.length > 0 || move.status !== this.#status;
    if (!isNew && !move.release && !this.#claim) return;
    const commit = this.#commitOf(this.#batch, move);
    this.#batch = emptyBatch();
    this.#claim = false;
    this.#status = move.status;
    this.#seq += events.length;
    this.#activeSince += commit.activeMs;
    if (!(await this.#commit(commit))) throw new FencedError(this.#runId);
    this.#onDurable(commit);
    for (const callback of callbacks) callback();
  }

  /**
   * Lets everybody see what has gathered while steps are in progress: at once, or within some milliseconds where the steps
   * are brief and nobody waits for its being durable. A refusal goes to `onError`.
   */
  show(areBrief: boolean, onError: (error: unknown) => void): void {
    const { events, addDue, removeDue, request, withdraw, callbacks } = this.#batch;
    const isAwaited = addDue.length + removeDue.length + callbacks.length > 0 || request !== undefined || withdraw;
    const flush = () => void this.flush().catch(onError);
    if (areBrief && !isAwaited && events.length > 0) this.#cancelFlush ??= this.#after(unseenMs, flush);
    else flush();
  }

  /** Writes nothing more by itself. */
  close(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = null;
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
    this.close();
    const createdAt = this.#now();
    const events = [...this.#batch.events, ...closing.map((event) => ({ ...event, createdAt }))];
    const commit = this.#commitOf({ ...this.#batch, events }, move);
    const written = this.#commit(decision ? { ...commit, decision } : commit);
    this.#undecided = written.catch(() => undefined);
    try {
      const isEnded = await written;
      if (isEnded) {
        this.#onDurable(commit);
        for (const callback of this.#batch.callbacks) callback();
      }
      return isEnded;
    } finally {
      this.#undecided = null;
    }
  }

  /** False where the fence holds. One that only followed a commit that failed has failed with it. */
  async #commit(commit: RunCommit): Promise<boolean> {
    try {
      const isWritten = await this.#store.commitRun(commit);
      if (!isWritten && this.#failed) throw this.#failed.error;
      return isWritten;
    } catch (error) {
      this.#failed ??= { error };
      throw error;
    }
  }

  #commitOf({ events: happened, addDue, removeDue, request, withdraw }: Batch, move: RunMove): RunCommit {
    const redactor = this.#redactor();
    const events = happened.map((event, index) => redactEvent(redactor, this.#runId, this.#seq + 1 + index, event));
    const result = redactPayloads(redactor, this.#runId, "result", move);
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
      ...(addDue.length > 0 && { addDue: addDue.map((moment) => redactDetail(moment, redactor)) }),
      ...(removeDue.length > 0 && { removeDue }),
      ...(request && { request }),
      ...(withdraw && { withdraw }),
      ...(this.#tellsPeople && { tellsPeople: true }),
      ...result.payloads,
    };
  }
}

/** What a moment carries is shown and never computed with. */
function redactDetail(moment: NewDue, { known }: Redactor): NewDue {
  return moment.detail === undefined ? moment : { ...moment, detail: redact(moment.detail, known).value };
}
