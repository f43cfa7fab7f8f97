import type { World } from "../../engine/world.ts";
import type { DueRecord, FreeMoment, Store } from "../../store/store.ts";
import { WriteRefused, refusedPauseMs } from "../../store/write-refused.ts";

/** The wall clock may jump and the machine may sleep: it is looked at this often at least. */
const longestSleepMs = 60_000;
const pageSize = 100;
/** A clock that is off by less is being kept in step, not set. */
const jumpMs = 2_000;

export type DueLoop = {
  /** Deals with everything that came due while nobody looked, then goes on by itself. */
  start(): Promise<void>;
  /** Has it awake at a moment that was set without a run's change. */
  wakeAt(at: number): void;
  stop(): void;
};

export type DueLoopParts = {
  store: Pick<Store, "listDue" | "nextDueAt" | "watchRuns">;
  world: Pick<World, "now" | "monotonicMs" | "after">;
  /** Deals with a moment. It is asked again until the moment is gone, at the latest a minute later. */
  handle(moment: DueRecord | FreeMoment): Promise<void> | void;
  /** The wall clock went another way than time does, by so many milliseconds: it was set, or the machine slept. */
  onJump(ms: number): Promise<void> | void;
  onError(error: unknown): void;
};

/** The one loop that lets time take effect: it sleeps until the next moment, and never longer than a minute. */
export function createDueLoop(parts: DueLoopParts): DueLoop {
  return new Loop(parts);
}

class Loop implements DueLoop {
  readonly #parts: DueLoopParts;
  /** Up to here moments were handed on. */
  #after = { at: -1, id: 0 };
  /** The earliest moment that was added behind that since. */
  #missed = Number.POSITIVE_INFINITY;
  /** The earliest moment that a refused write kept from being dealt with, and when in monotonic ms it is tried again. */
  #refused: { at: number; retryMs: number } | null = null;
  #wholePassMs = Number.NEGATIVE_INFINITY;
  #wakesAt = Number.NEGATIVE_INFINITY;
  /** How far the wall clock was ahead of the time that passes. */
  #offsetMs: number | null = null;
  #isPassing = false;
  #isStopped = false;
  #cancel: () => void = () => undefined;
  #unwatch: () => void = () => undefined;

  constructor(parts: DueLoopParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    this.#unwatch = this.#parts.store.watchRuns(null, ({ dueAt }) => {
      if (dueAt !== undefined) this.#arm(dueAt);
    });
    await this.#pass();
  }

  wakeAt(at: number): void {
    this.#arm(at);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    this.#unwatch();
  }

  #arm(at: number): void {
    this.#missed = Math.min(this.#missed, at);
    if (this.#isPassing) return;
    if (at <= this.#parts.world.now().getTime()) void this.#pass();
    else if (at < this.#wakesAt) this.#sleepUntil(at);
  }

  #sleepUntil(at: number | null): void {
    const { world } = this.#parts;
    this.#cancel();
    const now = world.now().getTime();
    const sleepMs = Math.min(longestSleepMs, Math.max(0, (at ?? Number.POSITIVE_INFINITY) - now));
    this.#wakesAt = now + sleepMs;
    this.#cancel = world.after(sleepMs, () => void this.#pass());
  }

  async #pass(): Promise<void> {
    if (this.#isPassing || this.#isStopped) return;
    this.#isPassing = true;
    this.#cancel();
    let next: number | null = null;
    try {
      await this.#noticeJump();
      do next = await this.#handleDue();
      while (!this.#isStopped && next !== null && next <= this.#parts.world.now().getTime());
    } catch (error) {
      this.#parts.onError(error);
    } finally {
      this.#isPassing = false;
      if (!this.#isStopped) this.#sleepUntil(next);
    }
  }

  /** Hands on what is due and returns the next moment. */
  async #handleDue(): Promise<number | null> {
    const { store, world } = this.#parts;
    this.#rewind();
    const until = world.now().getTime();
    for (;;) {
      const moments = await store.listDue({ after: this.#after, until, limit: pageSize });
      const results = await Promise.allSettled(moments.map(async (moment) => this.#parts.handle(moment)));
      for (const [index, result] of results.entries())
        if (result.status === "rejected") this.#noteError(result.reason, moments[index]?.at ?? until);
      const last = moments.at(-1);
      if (last) this.#after = { at: last.at, id: last.id };
      if (moments.length < pageSize || this.#isStopped) break;
    }
    this.#after = { at: until, id: Number.MAX_SAFE_INTEGER };
    const next = (await store.nextDueAt(until)) ?? Number.POSITIVE_INFINITY;
    return Math.min(next, this.#missed, this.#retriesAt());
  }

  /** When a refused moment is tried again, by the wall clock. */
  #retriesAt(): number {
    const { world } = this.#parts;
    if (!this.#refused) return Number.POSITIVE_INFINITY;
    return world.now().getTime() + Math.max(0, this.#refused.retryMs - world.monotonicMs());
  }

  #noteError(error: unknown, at: number): void {
    this.#parts.onError(error);
    if (!(error instanceof WriteRefused)) return;
    const retryMs = this.#parts.world.monotonicMs() + refusedPauseMs;
    this.#refused = { at: Math.min(at, this.#refused?.at ?? at), retryMs };
  }

  async #noticeJump(): Promise<void> {
    const { world, onJump } = this.#parts;
    const offset = world.now().getTime() - world.monotonicMs();
    const jump = offset - (this.#offsetMs ?? offset);
    this.#offsetMs = offset;
    if (Math.abs(jump) > jumpMs) await onJump(jump);
  }

  /** Goes back to what came in late, and once a minute to the beginning: nothing is lost, whatever the clock did. */
  #rewind(): void {
    const now = this.#parts.world.monotonicMs();
    if (this.#refused && now >= this.#refused.retryMs) {
      this.#missed = Math.min(this.#missed, this.#refused.at);
      this.#refused = null;
    }
    if (now - this.#wholePassMs >= longestSleepMs) {
      this.#wholePassMs = now;
      this.#after = { at: -1, id: 0 };
    } else if (this.#missed <= this.#after.at) this.#after = { at: this.#missed - 1, id: 0 };
    this.#missed = Number.POSITIVE_INFINITY;
  }
}
