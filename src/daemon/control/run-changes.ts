import type { Store } from "../../store/store.ts";

/** Runs whose latest change is remembered; whoever is further behind reads everything again. */
const defaultCapacity = 10_000;

/** Which runs changed after a moment, across all workspaces, by a number that counts from the daemon's start. */
export type RunChanges = {
  /** Number of the latest change; 0 before the first. */
  latest(): number;
  /** Whether everything after `after` is still known. */
  knows(after: number): boolean;
  /** A workspace's runs that changed after `after`, each once, in the order of their latest change. */
  since(workspaceId: number, after: number): string[];
  /** Settles at the next change after `after`, or when `signal` aborts. */
  next(after: number, signal: AbortSignal): Promise<void>;
};

type Entry = { change: number; workspaceId: number };

/**
 * Counts the durable changes of all runs. Of each run only the latest change is kept, for whoever reads a run reads it
 * as it stands: a bounded map does where a log of changes would not.
 */
export function watchChanges(store: Pick<Store, "watchRuns">, capacity = defaultCapacity): RunChanges {
  // In the order of the changes: a run that changes again moves to the end.
  const entries = new Map<string, Entry>();
  let latest = 0;
  let forgotten = 0;
  let waiting = Promise.withResolvers<void>();

  store.watchRuns(null, ({ runId, workspaceId }) => {
    latest += 1;
    entries.delete(runId);
    entries.set(runId, { change: latest, workspaceId });
    const oldest = entries.size > capacity ? entries.entries().next().value : undefined;
    if (oldest) {
      forgotten = oldest[1].change;
      entries.delete(oldest[0]);
    }
    waiting.resolve();
    waiting = Promise.withResolvers<void>();
  });

  return {
    latest: () => latest,
    knows: (after) => after >= forgotten && after <= latest,
    since: (workspaceId, after) =>
      [...entries].flatMap(([id, entry]) => (entry.change > after && entry.workspaceId === workspaceId ? [id] : [])),
    async next(after, signal) {
      if (latest > after || signal.aborted) return;
      const aborted = Promise.withResolvers<void>();
      const abort = () => aborted.resolve();
      signal.addEventListener("abort", abort);
      await Promise.race([waiting.promise, aborted.promise]);
      signal.removeEventListener("abort", abort);
    },
  };
}
