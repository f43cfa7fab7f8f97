import type { RunChange } from "../store.ts";

type Listener = (change: RunChange) => void;

/** Who wants to hear of which run; null stands for all of them. */
export class RunWatch {
  readonly #listeners = new Map<string | null, Set<Listener>>();

  /** Returns the function that ends it. */
  add(runId: string | null, listener: Listener): () => void {
    // Wrapped, so that one function may listen twice and end each on its own.
    const own: Listener = (change) => listener(change);
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(runId) === listeners) this.#listeners.delete(runId);
    };
  }

  tell(change: RunChange): void {
    for (const key of [change.runId, null]) {
      for (const listener of this.#listeners.get(key) ?? []) callSafely(listener, change);
    }
  }
}

/** What a listener throws surfaces as an uncaught error; the write that it heard of is not its victim. */
function callSafely(listener: Listener, change: RunChange): void {
  try {
    listener(change);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
