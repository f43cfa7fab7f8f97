import type { RunError } from "../../contract/run.ts";
import type { ApprovalDecision } from "../../store/store.ts";
import type { ClosedGate } from "./closing-events.ts";

/** How a run ends from outside: cancelled, rejected or expired. */
export type Ending = {
  status: "cancelled" | "timed_out";
  error: RunError | null;
  /** What is decided in the same commit; without it a pending request is rejected by the system. */
  decision?: ApprovalDecision;
  /** The gate that was decided, when it is a node's. */
  gate?: ClosedGate;
};

/** An ending, and whoever waits to hear what came of it. */
type AskedEnding = { ending: Ending; answer(isEnded: boolean | Promise<boolean>): void };

/** What reaches an execution from outside; it may come before the run is loaded and after it was parked. */
export class RunInbox {
  isPoked = false;
  /** Whoever executes the run is to leave it where it is: what its steps in progress still answer counts no more. */
  isAbandoned = false;
  onChange: () => void = () => undefined;
  #endings: AskedEnding[] = [];
  #isClosed = false;

  poke(): void {
    this.isPoked = true;
    this.onChange();
  }

  abandon(): void {
    this.isAbandoned = true;
    this.onChange();
  }

  async end(ending: Ending): Promise<boolean> {
    if (this.#isClosed) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#endings.push({ ending, answer: resolve });
    this.onChange();
    return promise;
  }

  takeEnding(): AskedEnding | undefined {
    return this.#endings.shift();
  }

  /** Nobody listens any more: whoever wanted an end has to look for the run anew. */
  close(): void {
    this.#isClosed = true;
    for (const { answer } of this.#endings.splice(0)) answer(false);
  }
}
