import type { Action } from "../../../contract/action.ts";
import type { Approval, Decision } from "../../../contract/approval.ts";
import type { JournalEvent } from "../../../contract/journal.ts";
import type { ReplayPlan } from "../../../contract/replay.ts";
import type { RunDetail, RunStatus } from "../../../contract/run.ts";
import type { WatchedRun } from "../../../contract/run-watch.ts";
import type { WorkflowSummaryBody } from "../../../contract/workflow-api.ts";
import type { Size } from "../draw/frame.ts";
import type { DecisionForm } from "./form.ts";
import type { KeyAction } from "./keys.ts";
import { emptyList, type ListState } from "./list.ts";
import { type Definition, openedRun, type RunState } from "./run.ts";
import { noRuns, type RunsState } from "./runs.ts";
import type { ConfirmBy } from "./short-id.ts";

export type Screen = "runs" | "approvals" | "actions" | "workflows" | "graph" | "run";

/** How the terminal UI stands with its daemon. Times are epoch milliseconds. */
export type Connection =
  | { kind: "connecting" }
  | { kind: "live" }
  | { kind: "lost"; since: number; reason: string; attempt: number; retryAt: number; change: number | null }
  | { kind: "refused"; code: number; message: string }
  | { kind: "limited"; until: number };

/** A question bound to the run that was selected when it was asked. */
export type Confirm = {
  kind: "confirm";
  what: "replay" | "cancel";
  runId: string;
  actionSlug: string | null;
  openedAt: number;
  state: "open" | "sending";
  plan: ReplayPlan | null;
  /** A changed input of a replay. */
  input: unknown;
  problem: string | null;
};

/** Lines to read: of the daemon's log, or of a difference, which begin with + and - then. */
export type LongText = { kind: "log"; title: string; isDiff: boolean; lines: readonly string[]; top: number };

export type Modal = DecisionForm | Confirm | { kind: "help"; top: number } | LongText;

export type GraphState = {
  workflowId: string;
  title: string;
  version: number | null;
  definition: Definition | null;
  problem: string | null;
  /** The run whose steps are laid over it. */
  runId: string | null;
  list: ListState;
  isTable: boolean;
};

export type Notice = { text: string; isBad: boolean; until: number };

/** What is known of the daemon and of this terminal from the start on. */
export type Place = {
  /** Where the daemon is, as the header shows it. */
  address: string;
  version: string;
  /** Over the control channel; else over HTTP with a key, which cannot do everything. */
  isLocal: boolean;
  canStart: boolean;
  canCopy: boolean;
  confirmBy: ConfirmBy;
  /** For screen readers: words in place of drawings. */
  isSpoken: boolean;
};

/** Everything that is shown. Never changed in place. */
export type Model = {
  place: Place;
  now: number;
  size: Size;
  screen: Screen;
  /** Screens to go back to. */
  before: readonly Screen[];
  connection: Connection;
  daemonVersion: string | null;
  runs: RunsState;
  isFiltering: boolean;
  approvals: { all: readonly Approval[] | null; list: ListState; gone: ReadonlyMap<string, Approval> };
  actions: { all: readonly Action[] | null; list: ListState };
  workflows: { all: readonly WorkflowSummaryBody[] | null; list: ListState };
  run: RunState | null;
  graph: GraphState | null;
  modal: Modal | null;
  /** Keys for which the API key lacks a scope, and how the daemon said so. */
  denied: ReadonlyMap<KeyAction, string>;
  notice: Notice | null;
};

/** Where a failure is told. */
type Failed = "decision" | "confirm" | "run" | "graph" | "list";

/** What happened: a key, the clock, or something that the daemon said. */
export type Message =
  | { type: "key"; key: string; at: number }
  | { type: "paste"; text: string; at: number }
  | { type: "tick"; at: number }
  | { type: "resize"; size: Size }
  | { type: "connection"; connection: Connection }
  | { type: "daemon"; version: string; address: string }
  | { type: "runs"; runs: readonly WatchedRun[]; total: number; isMore: boolean }
  | { type: "changed"; runs: readonly WatchedRun[] }
  | { type: "approvals"; approvals: readonly Approval[] }
  | { type: "actions"; actions: readonly Action[] }
  | { type: "workflows"; workflows: readonly WorkflowSummaryBody[] }
  | { type: "run"; run: RunDetail }
  | { type: "events"; runId: string; events: readonly JournalEvent[] }
  | { type: "status"; runId: string; status: RunStatus }
  | { type: "definition"; workflowId: string; definition: Definition; title: string; version: number | null }
  | { type: "plan"; runId: string; plan: ReplayPlan }
  | { type: "edited"; runId: string; input: unknown; problem: string | null }
  | { type: "decided"; approvalId: string; decision: Decision; text: string }
  | { type: "resolved"; approval: Approval }
  | { type: "acted"; runId: string; text: string; open: string | null }
  | { type: "failed"; what: Failed; subject: string; text: string; denied?: readonly KeyAction[] }
  | { type: "diff"; title: string; lines: readonly string[] }
  | { type: "said"; text: string; isBad: boolean; at: number }
  | { type: "log"; lines: readonly string[] };

/** What is to be done outside: every effect carries what it needs, so that nothing moves between asking and doing. */
export type Effect =
  | { type: "load-runs"; filter: string; offset: number }
  | { type: "load-approvals" }
  | { type: "load-approval"; runId: string; approvalId: string }
  | { type: "load-actions" }
  | { type: "load-workflows" }
  | { type: "follow-run"; runId: string | null }
  | { type: "load-run"; runId: string }
  | { type: "load-graph"; workflowId: string; version: number | null }
  | { type: "load-diff"; workflowId: string; version: number | null }
  | {
      type: "decide";
      runId: string;
      approvalId: string;
      decision: Decision;
      comment: string;
    }
  | { type: "cancel"; runId: string }
  | { type: "preview"; runId: string }
  | { type: "replay"; runId: string; input: unknown }
  | { type: "edit-input"; runId: string }
  | { type: "pager"; text: string }
  | { type: "copy"; text: string }
  | { type: "start-daemon" }
  | { type: "read-log" }
  | { type: "retry" }
  | { type: "quit"; code: number }
  | { type: "suspend" }
  | { type: "redraw" };

export type Next = readonly [model: Model, effects: readonly Effect[]];

/** Where the UI begins. */
export type Start = { screen: Screen; runId?: string; workflow?: string };

export function firstModel(place: Place, size: Size, now: number, start: Start): Model {
  const { screen, runId, workflow } = start;
  return {
    place,
    now,
    size,
    screen,
    before: screen === "runs" ? [] : ["runs"],
    connection: { kind: "connecting" },
    daemonVersion: null,
    runs: noRuns,
    isFiltering: false,
    approvals: { all: null, list: emptyList, gone: new Map() },
    actions: { all: null, list: emptyList },
    workflows: { all: null, list: emptyList },
    run: runId === undefined ? null : openedRun(runId),
    graph: workflow === undefined ? null : newGraph(workflow, workflow, null, null),
    modal: null,
    denied: new Map(),
    notice: null,
  };
}

export function newGraph(workflowId: string, title: string, version: number | null, runId: string | null): GraphState {
  const nothing = { definition: null, problem: null, list: emptyList, isTable: false };
  return { workflowId, title, version, runId, ...nothing };
}
