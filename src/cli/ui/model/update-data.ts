import type { Approval } from "../../../contract/approval.ts";
import { takeApprovals } from "./approvals.ts";
import type { Effect, LongText, Message, Model, Next } from "./model.ts";
import { takeEvents } from "./run.ts";
import { replaceRuns, takeRuns } from "./runs.ts";
import { type MessageOf as Of, say, type Updaters } from "./say.ts";
import { updaters as answerUpdaters } from "./update-answers.ts";

type DataMessage = Exclude<Message, { type: "key" | "paste" | "tick" | "resize" }>;

const updaters: Updaters<DataMessage["type"]> = {
  ...answerUpdaters,
  connection: connect,
  daemon: (model, { version, address }) => [
    { ...model, daemonVersion: version, place: { ...model.place, address } },
    [],
  ],
  runs: (model, { runs, total, isMore }) => [
    { ...model, runs: isMore ? takeRuns(model.runs, runs) : replaceRuns(model.runs, runs, total) },
    [],
  ],
  changed: updateRuns,
  approvals: updateApprovals,
  actions: (model, { actions }) => [{ ...model, actions: { ...model.actions, all: actions } }, []],
  workflows: (model, { workflows }) => [{ ...model, workflows: { ...model.workflows, all: workflows } }, []],
  run: takeDetail,
  events: (model, { runId, events }) =>
    model.run?.id === runId ? [{ ...model, run: takeEvents(model.run, events) }, []] : [model, []],
  status: (model, { runId, status }) => {
    const isNews = model.run?.id === runId && model.run.detail?.status !== status;
    return [model, isNews ? [{ type: "load-run", runId }] : []];
  },
  definition: (model, message) => [takeDefinition(model, message), []],
  said: (model, { text, isBad, at }) => [say({ ...model, now: at }, text, isBad), []],
  log: (model, { lines }) => [
    read(model, { title: "Last log lines of the daemon", isDiff: false, lines, top: Math.max(0, lines.length - 12) }),
    [],
  ],
  diff: (model, { title, lines }) => [read(model, { title, isDiff: true, lines, top: 0 }), []],
};

/** The model after something that the daemon, or a program that was started, said. */
export function updateData(model: Model, message: DataMessage): Next {
  // The table holds to each type of message its own function.
  const updater = updaters[message.type] as (model: Model, message: DataMessage) => Next;
  return updater(model, message);
}

function read(model: Model, text: Omit<LongText, "kind">): Model {
  return { ...model, modal: { kind: "log", ...text } };
}

function connect(model: Model, { connection }: Of<"connection">): Next {
  const isBack = connection.kind === "live" && model.connection.kind !== "live";
  const wasLost = connection.kind === "lost" && model.connection.kind === "lost";
  // What was lost is lost since the first failure.
  const since = wasLost && model.connection.kind === "lost" ? { since: model.connection.since } : {};
  const next: Model = { ...model, connection: { ...connection, ...since } };
  if (!isBack) return [next, []];
  const reload: Effect[] = [{ type: "load-approvals" }, { type: "load-actions" }];
  if (model.run) reload.push({ type: "load-run", runId: model.run.id });
  if (model.place.isLocal) reload.push({ type: "load-workflows" });
  const known = { ...next, denied: new Map() };
  return [next.modal?.kind === "log" ? { ...known, modal: null } : known, reload];
}

/** A run that waits for a decision, or did so until now, makes the list of requests another one. */
function updateRuns(model: Model, { runs }: Of<"changed">): Next {
  const asked = new Set((model.approvals.all ?? []).map(({ run_id }) => run_id));
  const touchesGate = runs.some(({ run_id, status }) => status === "waiting_for_approval" || asked.has(run_id));
  const effects: Effect[] = touchesGate ? [{ type: "load-approvals" }] : [];
  return [{ ...model, runs: takeRuns(model.runs, runs) }, effects];
}

/** Takes the list of requests in; what became of the selected one is asked for where it is no longer on it. */
function updateApprovals(model: Model, message: { approvals: readonly Approval[] }): Next {
  const next = takeApprovals(model.approvals, message.approvals);
  const unknown = [...next.gone.values()].filter(({ status }) => status === "pending");
  const effects = unknown.map(({ id, run_id: runId }): Effect => ({ type: "load-approval", runId, approvalId: id }));
  return [{ ...model, approvals: next }, effects];
}

function takeDetail(model: Model, { run: detail }: Of<"run">): Next {
  const { run } = model;
  if (run?.id !== detail.run_id) return [model, []];
  const next = { ...model, run: { ...run, detail, problem: null } };
  const { workflow_id: workflowId, action_release_version: version } = detail;
  const isDrawn = run.definition !== null || !model.place.isLocal;
  return [next, isDrawn ? [] : [{ type: "load-graph", workflowId, version }]];
}

function takeDefinition(model: Model, message: Of<"definition">): Model {
  const { workflowId, definition, title, version } = message;
  const { run, graph } = model;
  const isOfRun = run?.detail?.workflow_id === workflowId;
  const isOfGraph = graph !== null && (graph.workflowId === workflowId || graph.definition === null);
  return {
    ...model,
    run: isOfRun ? { ...run, definition } : run,
    graph: isOfGraph ? { ...graph, definition, title, version, problem: null } : graph,
  };
}
