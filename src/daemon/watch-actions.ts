import type { Store } from "../store/store.ts";

/** Tells who listens that a workspace's actions may have changed. Returns what ends the listening. */
export type OnActionsChange = (workspaceId: number, listener: () => void) => () => void;

/**
 * The store, and word of each durable change of a workspace's actions: a version published, an action paused or taken
 * up again, a workflow deleted. Whoever hears of one reads the list anew.
 */
export function watchActions(store: Store): { store: Store; onActionsChange: OnActionsChange } {
  const listeners = new Map<() => void, number>();

  function tell(workspaceId: number): void {
    for (const [listener, own] of listeners) if (own === workspaceId) listener();
  }

  const telling: Pick<Store, "publishVersion" | "deleteWorkflow" | "setActionStatus"> = {
    async publishVersion(input) {
      const published = await store.publishVersion(input);
      tell(input.workspaceId);
      return published;
    },
    async deleteWorkflow(input) {
      const deleted = await store.deleteWorkflow(input);
      if (deleted) tell(input.workspaceId);
      return deleted;
    },
    async setActionStatus(change) {
      const isChanged = await store.setActionStatus(change);
      if (isChanged) tell(change.workspaceId);
      return isChanged;
    },
  };
  return {
    // Everything else is the store's own, whatever becomes of it.
    store: Object.setPrototypeOf(telling, store) as Store,
    onActionsChange(workspaceId, listener) {
      // Its own function for each listening: one listener may listen twice.
      const own = () => listener();
      listeners.set(own, workspaceId);
      return () => void listeners.delete(own);
    },
  };
}
