import type { RunStatus } from "../contract/run.ts";

/** What the store tells of a run that moved; everybody imports it from `store.ts`. */

/** A change that has become durable; `dueAt` is the earliest moment that it added. */
export type RunChange = {
  runId: string;
  workspaceId: number;
  status: RunStatus;
  seq: number;
  dueAt?: number;
  /** What people want to hear of. */
  notices?: readonly Notice[];
};

/** Something that happened together with a change of a run; `id` is the request's, the incident's, the action's slug, the subscription's id or the connection's. */
export type Notice = {
  event: "approval.requested" | "approval.expired" | "incident.opened" | "workflow.paused" | "connection.needs_auth";
  id: string;
};
