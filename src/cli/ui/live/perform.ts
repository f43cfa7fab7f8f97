import type { Action, ActionList } from "../../../contract/action.ts";
import type { Approval, ApprovalList, Decided } from "../../../contract/approval.ts";
import type { ReplayPlan } from "../../../contract/replay.ts";
import type { WatchedRunList } from "../../../contract/run-watch.ts";
import { type RunDetail, type RunList, runSources, runStatuses } from "../../../contract/run.ts";
import type { WorkflowDetail, WorkflowList } from "../../../contract/workflow-api.ts";
import { CliError, reasonOf } from "../../cli-error.ts";
import type { Client, Query } from "../../client.ts";
import { runPath, runtimePath } from "../../find-run.ts";
import { workflowPath } from "../../find-workflow.ts";
import { showChanges } from "../../publish/show-changes.ts";
import { parseFilter } from "../model/filter.ts";
import type { KeyAction } from "../model/keys.ts";
import type { Effect, Message } from "../model/model.ts";
import { shortId } from "../model/short-id.ts";
import { asWatched, readApprovals } from "./poll-runs.ts";

export type Daemon = { client: Client; isLocal: boolean; tell: (message: Message) => void; now: () => number };

type Of<T extends Effect["type"]> = Extract<Effect, { type: T }>;

/** What asks the daemon for something, or asks it to do something. */
export type DaemonEffect = Of<
  | "load-runs"
  | "load-approvals"
  | "load-approval"
  | "load-actions"
  | "load-workflows"
  | "load-run"
  | "load-graph"
  | "load-diff"
  | "decide"
  | "cancel"
  | "preview"
  | "replay"
>;

type Perform<T extends DaemonEffect["type"]> = (effect: Of<T>, daemon: Daemon) => Promise<void>;

const performers: { [T in DaemonEffect["type"]]: Perform<T> } = {
  "load-runs": loadRuns,
  "load-approvals": async (_, daemon) => daemon.tell({ type: "approvals", approvals: await loadApprovals(daemon) }),
  async "load-approval"({ runId, approvalId }, { client, isLocal, tell }) {
    const approval = await readDecided(client, isLocal, runId, approvalId);
    if (approval && approval.status !== "pending") tell({ type: "resolved", approval });
  },
  "load-actions": async (_, { client, tell }) => tell({ type: "actions", actions: await loadActions(client) }),
  "load-workflows": loadWorkflows,
  "load-run": async ({ runId }, { client, tell }) =>
    tell({ type: "run", run: await client.get<RunDetail>(runPath(runId)) }),
  "load-graph": loadGraph,
  "load-diff": loadDiff,
  decide,
  async cancel({ runId }, { client, tell }) {
    await client.post<RunDetail>(`${runPath(runId)}/cancel`);
    tell({ type: "acted", runId, text: `Cancelled ${shortId(runId)}`, open: null });
  },
  async preview({ runId }, { client, tell }) {
    tell({ type: "plan", runId, plan: await client.post<ReplayPlan>(`${runPath(runId)}/replay/preview`) });
  },
  replay,
};

/** Whether an effect is the daemon's business. */
export function isForDaemon(effect: Effect): effect is DaemonEffect {
  return Object.hasOwn(performers, effect.type);
}

/** Carries out what a person asked of the daemon and tells what came of it. Never rejects. */
export async function askDaemon(effect: DaemonEffect, daemon: Daemon): Promise<void> {
  // The table holds to each type of effect its own function.
  const perform = performers[effect.type] as (effect: DaemonEffect, daemon: Daemon) => Promise<void>;
  try {
    await perform(effect, daemon);
  } catch (error) {
    const [what, subject] = blame(effect);
    // A list that can't be read is the connection's business, which tells it by itself.
    if (what === "list" && error instanceof CliError && error.exit === "unreachable") return;
    const denied = error instanceof CliError && error.extra.httpStatus === 403 ? keysOf(effect) : [];
    daemon.tell({ type: "failed", what, subject, text: reasonOf(error), denied });
  }
}

/** The keys that ask for an effect: without its scope they are of no use. */
function keysOf({ type }: DaemonEffect): readonly KeyAction[] {
  if (type === "decide") return ["approve", "reject"];
  if (type === "cancel") return ["cancel"];
  return type === "preview" || type === "replay" ? ["replay"] : [];
}

function blame(effect: DaemonEffect): [what: Extract<Message, { type: "failed" }>["what"], subject: string] {
  switch (effect.type) {
    case "decide":
      return ["decision", effect.approvalId];
    case "cancel":
    case "preview":
    case "replay":
      return ["confirm", effect.runId];
    case "load-run":
      return ["run", effect.runId];
    case "load-graph":
      return ["graph", effect.workflowId];
    default:
      return ["list", ""];
  }
}

/** Asks for runs that a filter fits, as far as the daemon can filter; the list filters the rest by itself. */
async function loadRuns({ filter, offset }: Of<"load-runs">, { client, isLocal, tell, now }: Daemon): Promise<void> {
  const { status, source, since } = parseFilter(filter, new Date(now()));
  const query: Query = {
    status: wholeWord(runStatuses, status),
    source: wholeWord(runSources, source),
    date_from: since === null ? undefined : new Date(since).toISOString(),
    limit: 100,
    // What was loaded by another filter does not count as a place in this one.
    offset: filter.trim() === "" ? offset : 0,
  };
  if (isLocal) {
    const { runs, total } = await client.get<WatchedRunList>("/control/runs", query);
    return tell({ type: "runs", runs, total, isMore: true });
  }
  const { runs, total } = await client.get<RunList>(`${runtimePath}/runs`, query);
  tell({ type: "runs", runs: runs.map(asWatched), total, isMore: true });
}

/** What the daemon can filter by takes a whole word. */
function wholeWord(words: readonly string[], word: string | null): string | undefined {
  return word !== null && words.includes(word) ? word : undefined;
}

async function loadApprovals({ client, isLocal }: Daemon): Promise<Approval[]> {
  if (!isLocal) return readApprovals(client);
  return (await client.get<ApprovalList>("/control/approvals", { status: "pending", limit: 200 })).approvals;
}

async function loadActions(client: Client): Promise<Action[]> {
  return (await client.get<ActionList>(`${runtimePath}/actions`)).actions;
}

async function loadWorkflows(_: Of<"load-workflows">, { client, isLocal, tell }: Daemon): Promise<void> {
  if (!isLocal) return;
  const { workflows } = await client.get<WorkflowList>("/control/workflows", { limit: 100 });
  tell({ type: "workflows", workflows });
}

/** Reads a version of a workflow; without a number the one that is deployed, or the draft where none is. */
async function loadGraph({ workflowId, version }: Of<"load-graph">, { client, tell }: Daemon): Promise<void> {
  const path = workflowPath(workflowId);
  const found = await client.get<WorkflowDetail>(path, version === null ? {} : { version });
  const wanted = version ?? found.deployed_version;
  const isWanted = wanted === null || found.definition_version === wanted;
  const shown = isWanted ? found : await client.get<WorkflowDetail>(path, { version: wanted });
  tell({
    type: "definition",
    workflowId: version === null ? workflowId : found.workflow_id,
    definition: shown.definition,
    title: found.action_slug ?? found.name,
    version: shown.definition_version,
  });
}

/** Tells what a version (null: the one that is deployed, else the draft) changed about the one before it. */
async function loadDiff({ workflowId, version }: Of<"load-diff">, { client, tell }: Daemon): Promise<void> {
  const path = workflowPath(workflowId);
  const head = await client.get<WorkflowDetail>(path);
  const shown = version ?? head.deployed_version;
  const before = Math.max(0, ...head.versions.map((each) => each.version).filter((n) => shown === null || n < shown));
  const name = head.action_slug ?? head.name;
  if (before === 0)
    return tell({ type: "diff", title: name, lines: ["There is no version before this one to compare it with."] });
  const [old, next] = await Promise.all([
    client.get<WorkflowDetail>(path, { version: before }),
    client.get<WorkflowDetail>(path, { version: shown ?? undefined }),
  ]);
  const lines = await showChanges(old.definition, next.definition, (_, text) => text);
  const title = `${name}: v${before} (-) against ${shown === null ? "the draft" : `v${shown}`} (+)`;
  tell({ type: "diff", title, lines: lines.length > 0 ? lines : ["Nothing differs."] });
}

/** Decides exactly the request that was captured. When somebody was faster, tells who. */
async function decide({ runId, approvalId, decision, comment }: Of<"decide">, daemon: Daemon): Promise<void> {
  const { client, isLocal, tell } = daemon;
  const body = { decision, approval_id: approvalId, ...(comment.trim() !== "" && { comment }) };
  try {
    await client.post<Decided>(`${runPath(runId)}/approve`, body);
    const text = `${decision === "approved" ? "Approved" : "Rejected"} ${shortId(runId)}`;
    tell({ type: "decided", approvalId, decision, text });
  } catch (error) {
    if (!(error instanceof CliError) || !/resolved|expired/i.test(error.message)) throw error;
    const approval = await readDecided(client, isLocal, runId, approvalId);
    if (approval?.status !== "pending" && approval) tell({ type: "resolved", approval });
    throw approval ? new CliError("conflict", sayResolved(approval, daemon.now())) : error;
  }
}

async function readDecided(
  client: Client,
  isLocal: boolean,
  runId: string,
  approvalId: string,
): Promise<Approval | null> {
  if (isLocal) return client.get<Approval>(`/control/approvals/${encodeURIComponent(approvalId)}`);
  const { approval } = await client.get<RunDetail>(`${runPath(runId)}?steps=none`);
  return approval?.id === approvalId ? approval : null;
}

function sayResolved({ status, user_id: user, decided_at: at }: Approval, now: number): string {
  const ago = at === null ? "" : ` ${Math.max(0, Math.round((now - Date.parse(at)) / 1000))} s ago`;
  return `Already resolved${user === null ? "" : ` by ${user}`} (${status})${ago}: nothing was changed`;
}

async function replay({ runId, input }: Of<"replay">, { client, tell }: Daemon): Promise<void> {
  const started = await client.post<RunDetail>(`${runPath(runId)}/replay`, input === undefined ? {} : { input });
  tell({
    type: "acted",
    runId,
    text: `Replay of ${shortId(runId)} is ${shortId(started.run_id)}`,
    open: started.run_id,
  });
}
