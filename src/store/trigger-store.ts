import type { Json } from "../contract/json.ts";

/** What starts the runs of an event-driven workflow (spec 2.11). */
export type TriggerKind = "webhook" | "schedule" | "connector";

/** `archived`: its workflow was deleted, or its deployed version has a trigger of another kind. */
export type SubscriptionStatus = "active" | "paused" | "archived";

/** What the deployed version of an event-driven workflow listens to; one for each workflow and kind (contract 11). */
export type SubscriptionRecord = {
  /** 24 random bytes as base64url: the webhook's path. Stays the same for all versions, and when the kind comes back. */
  id: string;
  workspaceId: number;
  workflowId: string;
  workflowName: string;
  kind: TriggerKind;
  status: SubscriptionStatus;
  /** The data of the trigger node as it was published. */
  config: { [key: string]: Json };
  /** Who published last: the user whose runs these are. */
  userId: string;
  /** When it began to listen, or an interval of other length began: from there an interval counts. */
  activatedAt: number;
  changedAt: number;
  /** The version whose runs it starts; null when none is deployed. */
  version: { id: string; number: number } | null;
};

/** What a publish makes of a version's trigger; `id` is used when the workflow never had one of this kind. */
export type NewSubscription = {
  id: string;
  kind: TriggerKind;
  config: { [key: string]: Json };
  userId: string;
};

/** A request to a subscription, or a repetition of one by hand. */
export type NewDelivery = {
  id: string;
  subscriptionId: string;
  at: number;
  /** The status that was answered; null while the caller still waits. */
  status: number | null;
  runId: string | null;
  /** Why nothing was started, or what else there is to say. */
  reason: string | null;
  /** What the sender calls the event. */
  dedupId: string | null;
  /** The delivery that this one repeats. */
  redeliveryOf: string | null;
  /** Redacted, and cut when it is long; null: the run's input has it, or there was none. */
  body: string | null;
  /** Size of the body that came. */
  bytes: number;
  /** The sealed trigger output of a request that started nothing but may be delivered again. */
  sealed: Uint8Array | null;
};

export type DeliveryRecord = Omit<NewDelivery, "sealed"> & { workspaceId: number };

/** What became of a delivery whose caller had to wait. */
export type DeliveryAnswer = { id: string; status: number; reason: string | null };

export type DeliveryFilter = {
  workspaceId: number;
  subscriptionId?: string;
  limit: number;
  /** Only those before this one. */
  before?: string;
};

export type TriggerStore = {
  /** Of any workspace: the id is the secret that a webhook's caller knows. Archived ones are found too. */
  findSubscription(id: string): Promise<SubscriptionRecord | null>;
  /** The one of a workflow that is not archived; null for a callable workflow, and for one that is not published. */
  findTrigger(workspaceId: number, workflowId: string): Promise<SubscriptionRecord | null>;
  /** By workflow name, without archived ones. */
  listSubscriptions(workspaceId: number): Promise<SubscriptionRecord[]>;
  /**
   * Pauses or resumes one that is not archived; false when there is none. Resuming begins the workflow's count of
   * failures anew, and an interval counts from then on.
   */
  setSubscriptionStatus(change: {
    workspaceId: number;
    id: string;
    status: "active" | "paused";
    at: number;
  }): Promise<boolean>;
  /** Notes a batch of requests, and of answers to earlier ones. What is told of a subscription that is gone is left out. */
  saveDeliveries(batch: { added: readonly NewDelivery[]; answered: readonly DeliveryAnswer[] }): Promise<void>;
  /** Newest first. */
  listDeliveries(filter: DeliveryFilter): Promise<DeliveryRecord[]>;
  findDelivery(workspaceId: number, id: string): Promise<(DeliveryRecord & { sealed: Uint8Array | null }) | null>;
  /** Deletes at most so many of those that came before a moment; how many. */
  deleteDeliveries(before: number, limit: number): Promise<number>;
};
