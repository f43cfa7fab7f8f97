import type { Store } from "../../src/store/store.ts";
import { WriteRefused } from "../../src/store/write-refused.ts";

/** `refusesNext`: how many writes of runs are refused before there is room again. */
export type Disk = { isFull: boolean; refusesNext: number };

/** A store on a disk that a test fills and empties: while it is full no run moves and none is made. */
export function fullStore(store: Store): { store: Store; disk: Disk } {
  const disk: Disk = { isFull: false, refusesNext: 0 };
  const guard =
    <A extends unknown[], V>(write: (...args: A) => Promise<V>) =>
    async (...args: A): Promise<V> => {
      const isRefused = disk.isFull || disk.refusesNext > 0;
      disk.refusesNext = Math.max(0, disk.refusesNext - 1);
      if (!isRefused) return write(...args);
      throw new WriteRefused("The database refused a write: database or disk is full (SQLITE_FULL)");
    };
  const guarded = {
    createRun: guard(store.createRun),
    commitRun: guard(store.commitRun),
    grantApproval: guard(store.grantApproval),
    setMoment: guard(store.setMoment),
    removeDue: guard(store.removeDue),
    saveDeliveries: guard(store.saveDeliveries),
  };
  return { store: { ...store, ...guarded }, disk };
}
