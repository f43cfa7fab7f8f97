import type { RunCommit, Store } from "../../src/store/store.ts";

export type DyingStore = Store & {
  /** Commits of runs that were asked for. */
  commits(): number;
  isDead(): boolean;
};

/**
 * A store whose process dies at its n-th commit of a run: `before` it reaches the disk, or `after`, when nobody hears of
 * it any more. From then on every write is lost. What it stands on lives on for the next process.
 */
export function dyingStore(store: Store, at: number, side: "before" | "after"): DyingStore {
  let commits = 0;
  let isDead = false;
  const lost = async (): Promise<never> => Promise.reject(new Error("The process is dead"));
  const guard =
    <A extends unknown[], V>(write: (...args: A) => Promise<V>) =>
    async (...args: A): Promise<V> =>
      isDead ? lost() : write(...args);
  return {
    ...store,
    createRun: guard(store.createRun),
    touchKeys: guard(store.touchKeys),
    grantApproval: guard(store.grantApproval),
    addAudit: guard(store.addAudit),
    removeDue: guard(store.removeDue),
    async commitRun(commit: RunCommit) {
      if (isDead) return lost();
      commits += 1;
      if (commits !== at) return store.commitRun(commit);
      isDead = true;
      if (side === "after") await store.commitRun(commit);
      return lost();
    },
    // The file stays open for the next process.
    close: async () => undefined,
    commits: () => commits,
    isDead: () => isDead,
  };
}
