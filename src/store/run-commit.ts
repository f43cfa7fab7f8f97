import type { EventType } from "../contract/journal.ts";
import type { Json } from "../contract/json.ts";
import type { Iteration, RunError, RunStatus } from "../contract/run.ts";
import type { SealedPayload } from "./memory-store.ts";
import type { ApprovalDecision, DueOwner, NewApproval, NewDue } from "./people-store.ts";

/** What an executor writes: events of a journal, and commits of a run; everybody imports it from `store.ts`. */

/** One journal event as the engine writes it. */
export type NewEvent = {
  type: EventType;
  stepId: string;
  iteration: Iteration;
  attempt: number;
  inputData?: Json;
  outputData?: Json;
  durationMs?: number;
  error?: RunError;
  createdAt: number;
  /** Redaction changed a payload; the originals are sealed, as long as they are kept. */
  isRedacted?: boolean;
  /** Taken over from the run that this one replays (contract 8). */
  isCopied?: boolean;
};

export type EventRecord = NewEvent & { seq: number };

/**
 * What one commit of a run's executor changes; fenced by epoch and by the number of the last event. A commit that ends
 * the run closes what is pending with it: a request becomes `rejected` by the system, with its audit entry, and the run's
 * moments are removed.
 */
export type RunCommit = {
  runId: string;
  /** The executor's epoch; with `claim` the one that it takes, one above the run's. */
  epoch: number;
  /**
   * First commit of a run that nobody executes: takes it (the new epoch; `accepted` → `running`; `startedAt`, unless the
   * run ends without an event) together with what it writes, so that a run of pure steps costs one commit after its
   * creation. Nothing changes when somebody else was faster.
   */
  claim: boolean;
  /** The run's last event before this commit: a commit after a lost one changes nothing. */
  seq: number;
  events: readonly NewEvent[];
  /** Adds to the run's active time. */
  activeMs: number;
  /**
   * Moves the run on; absent: the status stays. A terminal status never changes again, and a run with a pending request
   * stays `waiting_for_approval` until it is decided or the run ends.
   */
  status?: RunStatus;
  output?: Json;
  error?: RunError | null;
  /** Originals of the events, and of output and error. */
  sealed?: readonly SealedPayload[];
  /** Moments at which the run has to be looked at again; one that is there already stays as it is. */
  addDue?: readonly NewDue[];
  removeDue?: readonly DueOwner[];
  /** A gate that was reached: the run is `waiting_for_approval` from now on. */
  request?: NewApproval;
  /**
   * The run's end counts for its workflow: a failure opens an incident under this id or joins the open one, and pauses
   * the workflow's action after so many in a row (0: never); a success closes the incident.
   */
  health?: { incidentId: string; pauseAfter: number };
  /** Moments that stay when the run ends. */
  followUp?: readonly NewDue[];
  /** What people want to hear of is kept until they have been told. */
  tellsPeople?: boolean;
  /** Closes a pending request although the run goes on. */
  withdraw?: boolean;
  /** Without it nothing is committed either: false when the request is not pending any more, or not yet or already due. */
  decision?: ApprovalDecision;
  /**
   * Gives the run back: `parked` until a moment, a decision or somebody comes, `stopped` to go on at the next start.
   * Parking fails, and the run stays held, when a request was decided of which the executor has not heard.
   */
  release?: { as: "parked"; awaitsApproval: boolean } | { as: "stopped" };
  at: number;
};
