import type { Json } from "../contract/json.ts";
import type { RunError, RunSource, RunStatus } from "../contract/run.ts";
import type { SealedPayload } from "./memory-store.ts";
import type { NewSlot } from "./moment-store.ts";
import type { NewApproval, NewAuditEntry } from "./people-store.ts";
import type { RunChange } from "./run-change.ts";
import type { EventRecord, NewEvent, RunCommit } from "./run-commit.ts";
import type { NewDelivery } from "./trigger-store.ts";

/** The part of the store's promise that is about runs and their journals; everybody imports it from `store.ts`. */

export type RunRecord = {
  id: string;
  workspaceId: number;
  workflowId: string;
  versionId: string;
  version: number;
  actionSlug: string | null;
  userId: string;
  source: RunSource;
  status: RunStatus;
  input: Json;
  output: Json;
  error: RunError | null;
  dryRun: boolean;
  /** Fencing token: whoever executes the run holds the newest one (contract 5). */
  epoch: number;
  /** Number of the last journal event; 0 when there is none. */
  seq: number;
  /** Times the daemon went down while it executed this run. */
  crashes: number;
  /** An executor has the run. A run that nobody has is taken by the first commit (`claim`). */
  held: boolean;
  /** The incident that it opened or joined by failing. */
  incidentId: string | null;
  /** Milliseconds in which a step executed or backed off. */
  activeMs: number;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
  /** The run that this one replays; it may be deleted by now. */
  resumeFromRunId: string | null;
  /** Redaction changed the payload before it was stored: the true one is sealed, as long as it is kept. */
  isInputRedacted: boolean;
  isResultRedacted: boolean;
  /** The place in a distributed trace from which it was started (W3C Trace Context); null: it has a trace of its own. */
  traceparent: string | null;
  /** The webhook request that started it. */
  http: HttpOrigin | null;
};

/** Where a webhook's run came from; `handlerId`: who held the caller for the answer of Respond to Webhook (spec 2.10). */
export type HttpOrigin = { requestId: string; handlerId: string | null };

/** What stands behind the payloads in a run's row, or is one, and a list would have to read up to 1 MiB each for. */
type DetailName =
  | "input"
  | "output"
  | "error"
  | "resumeFromRunId"
  | "isInputRedacted"
  | "isResultRedacted"
  | "traceparent"
  | "http";

/** A run without its payloads. */
export type RunSummary = Omit<RunRecord, DetailName>;

/** A run as lists for people show it. */
export type RunFacts = RunSummary & {
  errorCode: string | null;
  /** Nodes outside loops' bodies whose step is over; null where the journal is too long to count in. */
  endedSteps: number | null;
  /** When its next wait or retry is over. */
  resumeAt: number | null;
  /** Until when its pending request can be decided. */
  approvalExpiresAt: number | null;
};

export type NewRun = {
  id: string;
  workspaceId: number;
  workflowId: string;
  versionId: string;
  version: number;
  actionId: number | null;
  actionSlug: string | null;
  userId: string;
  source: RunSource;
  status: RunStatus;
  input: Json;
  dryRun: boolean;
  createdAt: number;
  completedAt: number | null;
  /** Runs this user may start in the hour before `createdAt`; null when the cap does not apply. */
  hourlyCap: number | null;
  /** Accepted runs that may wait; null when the bound does not apply. */
  maxQueued: number | null;
  /** Runs that the workspace may start in the calendar month (UTC) of `createdAt`; absent or null: no bound. */
  monthlyQuota?: number | null;
  /** Digests of the caller's key in its scope, and of that key with the request: starts one run in 24 hours. */
  idempotency?: { id: Uint8Array; body: Uint8Array };
  /** The request with which a run is born that waits for its approval before anything else. */
  request?: NewApproval;
  /** Originals of the input and of the copied events. */
  sealed?: readonly SealedPayload[];
  /** What a replay takes over: the run is born with these events. */
  replay?: { of: string; events: readonly NewEvent[]; audit: NewAuditEntry };
  traceparent?: string | null;
  /** What people want to hear of is kept until they have been told. */
  tellsPeople?: boolean;
  /** The firing of a schedule that it is; it takes place once. */
  slot?: NewSlot;
  /** Why it is born failed. */
  error?: RunError | null;
  http?: HttpOrigin | null;
  /** The request that starts it, noted in the same transaction; not when the run is refused or was there before. */
  delivery?: NewDelivery;
  /** The step that starts it and waits for it; a step in its iteration starts one run, however often it asks. */
  parent?: { runId: string; step: string; maxDepth: number };
};

export type CreateRunResult =
  | { kind: "created"; run: RunRecord }
  /** `oldestAt`: when the run was created that has to leave the hour first. */
  | { kind: "hourly_cap"; oldestAt: number }
  | { kind: "monthly_quota" }
  | { kind: "overloaded"; queued: number }
  /** The same request started this run before. */
  | { kind: "repeated"; runId: string }
  /** The same key came with another request. */
  | { kind: "idempotency_conflict" }
  /** The firing has taken place before, or its schedule does not listen any more. */
  | { kind: "slot_taken" }
  /** The schedule's last run is not over, so the firing was left out. */
  | { kind: "overlap"; runId: string }
  /** The run whose step asks is over, or there are too many runs above it. */
  | { kind: "parent_over" }
  | { kind: "too_deep" };

export type RunFilter = {
  workspaceId: number;
  statuses?: readonly RunStatus[];
  source?: RunSource;
  actionSlug?: string;
  /** Inclusive bounds on creation. */
  createdFrom?: number;
  createdTo?: number;
  /** Only runs of an incident, or only others. */
  hasIncident?: boolean;
  limit: number;
  offset: number;
};

/** A run that a step of another one started. */
export type ChildRun = { runId: string; step: string; status: RunStatus };

/** What started a run. */
export type ParentRun = { runId: string; step: string };

export type RunStore = {
  /** The runs that steps of a run started, oldest first; of one step where it is named. */
  listChildren(runId: string, step?: string): Promise<ChildRun[]>;
  /** The step that a run was started by; null when it was none. */
  findParent(runId: string): Promise<ParentRun | null>;
  /** Inserts a run; idempotency, the hourly cap, the quota and the admission bound are part of the insert (contract 5, 6). */
  createRun(input: NewRun): Promise<CreateRunResult>;
  /** What an idempotency key started in the 24 hours before `at`; null when it is free. */
  findRepeat(id: Uint8Array, at: number): Promise<{ runId: string; body: Uint8Array } | null>;
  /** How many runs of all workspaces have each status; one without runs is left out. */
  countRuns(): Promise<{ status: RunStatus; n: number }[]>;
  findRun(workspaceId: number, runId: string): Promise<RunRecord | null>;
  /** Newest first; `total` counts all that match. */
  listRuns(filter: RunFilter): Promise<{ runs: RunSummary[]; total: number }>;
  /** The runs of a workspace among these ids, in the order of the ids. Each costs a few reads along an index. */
  describeRuns(workspaceId: number, runIds: readonly string[]): Promise<RunFacts[]>;
  /** Accepted runs in the order in which they were accepted, from the one after `afterId` on. */
  listAccepted(afterId: string | null, limit: number): Promise<RunRecord[]>;
  /**
   * At start: takes every run that is `running` or that an executor which is gone still has: a new epoch, and one crash
   * more where it was not given back. Oldest first.
   */
  recoverRuns(at: number): Promise<RunRecord[]>;
  /** Ids of a workflow's runs that have begun and are not over. */
  listOpenRuns(workspaceId: number, workflowId: string): Promise<string[]>;
  /** Appends events and moves the run. False when the fence or the status guard stood in the way: nothing changed. */
  commitRun(commit: RunCommit): Promise<boolean>;
  /** Events after `after` in order of seq. */
  readJournal(runId: string, after: number, limit: number): Promise<EventRecord[]>;
  /** Calls back after each durable change of a run; null hears of all. Returns the function that ends it. */
  watchRuns(runId: string | null, listener: (change: RunChange) => void): () => void;
};
