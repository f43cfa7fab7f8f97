import type { RunChange } from "../store.ts";

/** What an operation did inside the open transaction: its answer, and the runs that change when it is committed. */
export type Effect<V> = { value: V; changes: readonly RunChange[] };

/** The effect of an operation that moves no run. */
export function answer<V>(value: V): Effect<V> {
  return { value, changes: [] };
}
