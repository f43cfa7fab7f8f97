import type { Json } from "../contract/json.ts";
import type { RunError } from "../contract/run.ts";
import type { NewRun, RunRecord } from "./run-store.ts";
import type { SubscriptionRecord } from "./trigger-store.ts";

/** The part of the store's promise that is about events of connectors, polled and pushed (contract 11, 13). */

/** Where the poll of a subscription stands. Times are epoch ms. */
export type PollRecord = {
  /** What is polled: connector, event, connection and params as one text. */
  source: string;
  /** What the last good poll returned; null also before there was one. */
  cursor: Json;
  /** When a poll was last tried, and when one last went well: null before the first. */
  triedAt: number;
  polledAt: number | null;
  /** Why the last one failed; null when it went well. */
  error: RunError | null;
  /** Failures since the last one that went well. */
  failures: number;
  /** Grows with each change. */
  revision: number;
};

/** A poll that saw the subscription at a revision, 0 when there was none; `nextAt` is when the next one is due. */
type PollStep = { seen: number; source: string; nextAt: number };

export type FailedPoll = PollStep & { subscriptionId: string; at: number; error: RunError };

export type EventBatch = {
  subscriptionId: string;
  at: number;
  /** In the order in which they happened. `digest` names the event; without a run it is only noted. */
  events: readonly { digest: Uint8Array; run: NewRun | null }[];
  /** With what a run fails that a limit keeps from beginning. */
  limitErrors: Record<"hourly_cap" | "monthly_quota", RunError>;
  /** Of a poll: stored with the events, unless there is no room for all of them; then it is due again at `retryAt`. */
  poll?: PollStep & { cursor: Json; retryAt: number };
};

/** `seen`: the event was told before; its run, if it started one. */
export type TakenEvent = { kind: "started" | "failed"; run: RunRecord } | { kind: "seen"; runId: string | null };

/** `stale`: the subscription listens no longer, or was polled by somebody else meanwhile. Nothing has changed then. */
export type EventsTaken = { kind: "stale" } | { kind: "taken"; events: TakenEvent[]; isComplete: boolean };

export type EventStore = {
  findPoll(subscriptionId: string): Promise<PollRecord | null>;
  /** Every trigger of a connector that listens, of all workspaces. */
  listConnectorTriggers(): Promise<SubscriptionRecord[]>;
  /**
   * Starts a run for each event that was not told before, notes the events and, for a poll, where it stands: all of it or
   * nothing. Where the queue is full it ends at the last event that had room, and `isComplete` is false.
   */
  takeEvents(batch: EventBatch): Promise<EventsTaken>;
  /** Notes that a poll failed; false when it is stale. */
  failPoll(poll: FailedPoll): Promise<boolean>;
  /** Forgets events that were told before a moment, at most so many; how many. */
  deleteSeenEvents(before: number, limit: number): Promise<number>;
};
