import type { Retention } from "../../contract/retention.ts";
import { isTerminal } from "../../contract/run.ts";
import type { World } from "../../engine/world.ts";
import type { Expiry, Store } from "../../store/store.ts";

/** The first pass waits until a start has settled; then one an hour is enough for times of days. */
const firstMs = 60_000;
const everyMs = 3_600_000;
/** Firings of schedules are remembered longer than any clock is off. */
const slotsMs = 60 * 24 * everyMs;
/** Events of connectors are remembered so long after they were last told. */
const seenEventsMs = 30 * 24 * everyMs;
/** Originals that are not to be kept go this long after their run's end, those of other runs with them. */
const atOnceMs = 1000;
/** A batch takes some milliseconds of the writer's thread; others have their turn between two. */
const batchRows = 200;
const batchPages = 200;

export type RetentionLoop = {
  /** Sets when the next pass is, also when the clock was set back. */
  open(): Promise<void>;
  /** The moment of a pass has come: it begins, and the next one is set. */
  pass(): Promise<void>;
  stop(): Promise<void>;
};

export type RetentionParts = {
  store: Pick<
    Store,
    | "deleteExpired"
    | "deleteSlots"
    | "deleteSeenEvents"
    | "deleteDeliveries"
    | "reclaimSpace"
    | "watchRuns"
    | "listMoments"
    | "setMoment"
  >;
  world: Pick<World, "now" | "after" | "yieldTurn">;
  /** Has the loop of moments awake. */
  wakeAt(at: number): void;
  /** Deletes the files that no run refers to any more. */
  sweepFiles(): Promise<void>;
  retention: Retention;
  onError(error: unknown): void;
};

/**
 * Deletes what has had its time, in small batches, and gives the space back to the disk. Its hours are moments of the one
 * table that holds them all.
 */
export function startRetention(parts: RetentionParts): RetentionLoop {
  return new Loop(parts);
}

class Loop implements RetentionLoop {
  readonly #parts: RetentionParts;
  readonly #unwatch: () => void;
  #cancelAtOnce: (() => void) | null = null;
  #isStopped = false;
  #passing: Promise<void> = Promise.resolve();

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    const keepsNone = parts.retention.sealedMs === 0;
    this.#unwatch = keepsNone
      ? parts.store.watchRuns(null, ({ status }) => isTerminal(status) && this.#dropSealedSoon())
      : () => undefined;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unwatch();
    this.#cancelAtOnce?.();
    await this.#passing;
  }

  async open(): Promise<void> {
    const now = this.#parts.world.now().getTime();
    const [next] = await this.#parts.store.listMoments("upkeep");
    await this.#passAt(Math.min(Math.max(next?.at ?? 0, now + firstMs), now + everyMs));
  }

  async pass(): Promise<void> {
    await this.#passAt(this.#parts.world.now().getTime() + everyMs);
    this.#pass(["sealed", "journals", "runs"]);
    this.#passing = this.#passing.then(async () => this.#deleteSlots()).catch(this.#parts.onError);
    this.#passing = this.#passing.then(async () => this.#deleteDeliveries()).catch(this.#parts.onError);
    this.#passing = this.#passing.then(async () => this.#deleteSeenEvents()).catch(this.#parts.onError);
    this.#passing = this.#passing.then(async () => this.#parts.sweepFiles()).catch(this.#parts.onError);
  }

  async #passAt(at: number): Promise<void> {
    await this.#parts.store.setMoment({ kind: "upkeep", owner: "retention", at });
    this.#parts.wakeAt(at);
  }

  async #deleteSlots(): Promise<void> {
    const { store, world } = this.#parts;
    const before = world.now().getTime() - slotsMs;
    for (let deleted = batchRows; deleted === batchRows && !this.#isStopped;) {
      deleted = await store.deleteSlots(before, batchRows);
      await world.yieldTurn();
    }
  }

  async #deleteDeliveries(): Promise<void> {
    const { store, world, retention } = this.#parts;
    const before = world.now().getTime() - retention.deliveriesMs;
    for (let deleted = batchRows; deleted === batchRows && !this.#isStopped;) {
      deleted = await store.deleteDeliveries(before, batchRows);
      await world.yieldTurn();
    }
  }

  async #deleteSeenEvents(): Promise<void> {
    const { store, world } = this.#parts;
    const before = world.now().getTime() - seenEventsMs;
    for (let deleted = batchRows; deleted === batchRows && !this.#isStopped;) {
      deleted = await store.deleteSeenEvents(before, batchRows);
      await world.yieldTurn();
    }
  }

  #dropSealedSoon(): void {
    this.#cancelAtOnce ??= this.#parts.world.after(atOnceMs, () => {
      this.#cancelAtOnce = null;
      this.#pass(["sealed"]);
    });
  }

  /** One pass after the other. */
  #pass(kinds: readonly Expiry["what"][]): void {
    this.#passing = this.#passing.then(async () => this.#deleteAll(kinds)).catch(this.#parts.onError);
  }

  async #deleteAll(kinds: readonly Expiry["what"][]): Promise<void> {
    const { store, world } = this.#parts;
    for (const what of kinds) {
      const before = this.#endOf(what);
      for (let from: number | null = 0; from !== null && !this.#isStopped;) {
        ({ next: from } = await store.deleteExpired({ what, before, from, limit: batchRows }));
        await world.yieldTurn();
      }
    }
    for (let left = 1; left > 0 && !this.#isStopped;) {
      left = await store.reclaimSpace(batchPages);
      await world.yieldTurn();
    }
  }

  /** Runs that ended before this moment have had their time; with nothing to keep that is now. */
  #endOf(what: Expiry["what"]): number {
    const { runsMs, journalsMs, sealedMs } = this.#parts.retention;
    const keptMs = { runs: runsMs, journals: journalsMs, sealed: sealedMs }[what];
    return this.#parts.world.now().getTime() - keptMs + (keptMs === 0 ? 1 : 0);
  }
}
