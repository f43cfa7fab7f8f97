import type { Notice } from "./run-change.ts";
import type { SubscriptionRecord } from "./trigger-store.ts";

/** The part of the store's promise that is about firings of schedules and about what people have still to be told. */

/** One firing of a schedule; taken in the transaction that creates its run. */
export type NewSlot = {
  subscriptionId: string;
  /** The moment that the schedule names. */
  at: number;
  /** Leaves the firing out while the run of the one before is not over. */
  skipsOverlap: boolean;
};

/** What people have to be told of. `told` names the channels that have done it. */
export type NoticeRecord = Notice & {
  /** The notice's own id; `id` is that of what it tells of. */
  uuid: string;
  workspaceId: number;
  runId: string;
  createdAt: number;
  /** How often it was tried. */
  tries: number;
  told: readonly string[];
};

/** What a moment without a run is for. */
export type FreeMomentKind = "schedule" | "poll" | "notice" | "upkeep";

/** A moment that belongs to no run: `owner` is the subscription, the notice, or the name of the upkeep. */
export type FreeMoment = { id: number; kind: FreeMomentKind; owner: string; at: number };

export type MomentStore = {
  /** Sets the one moment of a kind and owner that belongs to no run; null takes it away. */
  setMoment(moment: { kind: FreeMomentKind; owner: string; at: number | null }): Promise<void>;
  /** The moments of a kind that belong to no run. */
  listMoments(kind: FreeMomentKind): Promise<{ owner: string; at: number }[]>;
  /** Deletes firings before a moment, at most so many; how many. */
  deleteSlots(before: number, limit: number): Promise<number>;
  /** Every schedule that listens, of all workspaces. */
  listSchedules(): Promise<SubscriptionRecord[]>;
  findNotice(uuid: string): Promise<NoticeRecord | null>;
  /**
   * Notes which channels have told it, and sets when the others try again; with `retryAt` null the notice is done with
   * and gone.
   */
  updateNotice(change: { uuid: string; told: readonly string[]; retryAt: number | null }): Promise<void>;
};
