import { selectedApproval } from "./approvals.ts";
import { jsonLines } from "./json-lines.ts";
import type { KeyAction } from "./keys.ts";
import { type Effect, type GraphState, type Model, newGraph, type Next, type Screen } from "./model.ts";
import { openedRun, type Pane, type Part, type RunState, shownPayload } from "./run.ts";
import { releaseRuns } from "./runs.ts";
import { say } from "./say.ts";

const tabs: Partial<Record<KeyAction, Screen>> = {
  "show-runs": "runs",
  "show-approvals": "approvals",
  "show-actions": "actions",
  "show-graph": "workflows",
};

/** Keys that open, close or turn something on any screen; null where they mean something within a run alone. */
const acts: Partial<Record<KeyAction, (model: Model) => Next | null>> = {
  open,
  back,
  graph: openRunGraph,
  diff: openDiff,
  table: (model) => [model.graph ? { ...model, graph: { ...model.graph, isTable: !model.graph.isTable } } : model, []],
  filter: (model) => [{ ...model, isFiltering: true }, []],
  help: (model) => [{ ...model, modal: { kind: "help", top: 0 } }, []],
  next: (model) => showBeside(model, 1),
  previous: (model) => showBeside(model, -1),
};

/** The model after a key that opens, closes or turns something on the screen; null for every other key. */
export function updateScreen(model: Model, action: KeyAction): Next | null {
  const tab = tabs[action];
  if (tab) return showTab(model, tab);
  return acts[action]?.(model) ?? updateRunView(model, action);
}

const order = Object.values(tabs);

/** The screen beside the one that is shown, round and round. */
function showBeside(model: Model, by: number): Next | null {
  const at = order.indexOf(model.screen);
  const beside = order[(at + by + order.length) % order.length];
  return at === -1 || beside === undefined ? null : showTab(model, beside);
}

const loads: Partial<Record<Screen, Effect>> = {
  approvals: { type: "load-approvals" },
  actions: { type: "load-actions" },
  workflows: { type: "load-workflows" },
};

function showTab(model: Model, screen: Screen): Next {
  const load = loads[screen];
  const leaving: Effect[] = model.screen === "run" ? [{ type: "follow-run", runId: null }] : [];
  return [{ ...model, screen, before: [], run: null }, load ? [...leaving, load] : leaving];
}

function goTo(model: Model, screen: Screen): Model {
  return { ...model, screen, before: [...model.before, model.screen] };
}

/** Opens a run, and follows it. */
export function openRun(model: Model, runId: string): Next {
  const effects: Effect[] = [
    { type: "load-run", runId },
    { type: "follow-run", runId },
  ];
  return [{ ...goTo(model, "run"), run: openedRun(runId) }, effects];
}

function open(model: Model): Next {
  return openers[model.screen](model);
}

const openers: Record<Screen, (model: Model) => Next> = {
  runs(model) {
    const { selected } = model.runs.list;
    return selected === null ? [say(model, "Select a run with ↑ or ↓ first"), []] : openRun(model, selected);
  },
  approvals(model) {
    const request = selectedApproval(model);
    return request ? openRun(model, request.run_id) : [say(model, "Select a request with ↑ or ↓ first"), []];
  },
  actions(model) {
    const action = model.actions.all?.find(({ slug }) => slug === model.actions.list.selected);
    return action ? openGraph(model, action.workflow_id, action.slug) : [model, []];
  },
  workflows(model) {
    const { all, list } = model.workflows;
    const workflow = all?.find(({ workflow_id: id }) => id === list.selected);
    return workflow ? openGraph(model, workflow.workflow_id, workflow.action_slug ?? workflow.name) : [model, []];
  },
  graph: openNode,
  run: (model) => [model, []],
};

function openGraph(model: Model, workflowId: string, title: string): Next {
  if (!model.place.isLocal) return [say(model, "Graphs are shown for the daemon of this machine alone", true), []];
  const graph = newGraph(workflowId, title, null, null);
  return [{ ...goTo(model, "graph"), graph }, [{ type: "load-graph", workflowId, version: null }]];
}

/** The graph of the open run's own version, with its steps laid over it. */
function openRunGraph(model: Model): Next {
  const detail = model.run?.detail;
  if (!detail) return [model, []];
  if (!model.place.isLocal) return [say(model, "Graphs are shown for the daemon of this machine alone", true), []];
  const { workflow_id: id, action_release_version: version, run_id: runId, action_slug: slug } = detail;
  const graph = { ...newGraph(id, slug ?? id, version, runId), definition: model.run?.definition ?? null };
  const effects: Effect[] = graph.definition ? [] : [{ type: "load-graph", workflowId: id, version }];
  return [{ ...goTo(model, "graph"), graph }, effects];
}

/** What the version that is shown changed about the one before it. */
function openDiff(model: Model): Next {
  const { graph, run, screen, place } = model;
  if (!place.isLocal) return [say(model, "Versions are compared for the daemon of this machine alone", true), []];
  const ofRun = run?.detail ? { id: run.detail.workflow_id, version: run.detail.action_release_version } : null;
  const shown = screen === "graph" && graph ? { id: graph.workflowId, version: graph.version } : ofRun;
  return [model, shown ? [{ type: "load-diff", workflowId: shown.id, version: shown.version }] : []];
}

function showNode(model: Model, { definition, list }: GraphState): Model {
  const node = definition?.nodes.find(({ id }) => id === list.selected);
  if (!node) return model;
  const lines = JSON.stringify(node.data, null, 2).split("\n");
  return { ...model, modal: { kind: "log", title: `${node.id} · ${node.type}`, isDiff: false, lines, top: 0 } };
}

/** Back to the run that lies over the graph, at the selected node; without a run what the node is made of. */
function openNode(model: Model): Next {
  const { graph, run } = model;
  if (!graph || graph.list.selected === null) return [say(model, "Select a node with ↑ or ↓ first"), []];
  if (graph.runId === null) return [showNode(model, graph), []];
  if (run?.id !== graph.runId) return [model, []];
  const list = { selected: graph.list.selected, top: 0 };
  return back({ ...model, run: { ...run, list, pane: "payload" } });
}

function back(model: Model): Next {
  if (model.screen === "runs" && model.runs.list.selected !== null)
    return [{ ...model, runs: releaseRuns(model.runs) }, []];
  const before = model.before.at(-1);
  if (before === undefined) return [model, []];
  const next: Model = { ...model, screen: before, before: model.before.slice(0, -1) };
  if (model.screen !== "run") return [next, []];
  const load = loads[before];
  return [{ ...next, run: null }, [{ type: "follow-run", runId: null }, ...(load ? [load] : [])]];
}

const panes: readonly Pane[] = ["steps", "journal", "payload"];

function turnPane(run: RunState, by: number): Partial<RunState> {
  return { pane: panes[(panes.indexOf(run.pane) + by + panes.length) % panes.length] ?? "steps" };
}

function showPart(part: Part): Partial<RunState> {
  return { part, payload: { selected: null, top: 0 } };
}

/** Keys that turn something within the view of a run. */
const turns: Partial<Record<KeyAction, (run: RunState) => Partial<RunState>>> = {
  input: () => showPart("input"),
  output: () => showPart("output"),
  error: () => showPart("error"),
  next: (run) => turnPane(run, 1),
  previous: (run) => turnPane(run, -1),
  follow: (run) => ({ isFollowing: !run.isFollowing, journalTop: Math.max(0, run.events.length - 1) }),
  fold,
};

function updateRunView(model: Model, action: KeyAction): Next | null {
  const { run, screen, place } = model;
  const request = screen === "approvals" ? selectedApproval(model) : null;
  if (request && action === "pager") return [model, [{ type: "pager", text: JSON.stringify(request.inputs, null, 2) }]];
  if (!run || screen !== "run") return null;
  const turn = turns[action];
  if (turn) return [{ ...model, run: { ...run, ...turn(run) } }, []];
  if (action === "pager") return [model, [{ type: "pager", text: payloadText(run) }]];
  if (action !== "copy") return null;
  if (!place.canCopy) return [say(model, "Copying is off; STEPGATE_UI_COPY=1 allows it (OSC 52)", true), []];
  return [say(model, "Copied"), [{ type: "copy", text: payloadText(run) }]];
}

function payloadText(run: RunState): string {
  return JSON.stringify(shownPayload(run).value, null, 2);
}

function fold(run: RunState): Partial<RunState> {
  const lines = jsonLines(shownPayload(run).value, run.folds);
  const line = lines.find(({ path }) => path === run.payload.selected) ?? lines[0];
  if (!line?.canFold) return { pane: "payload" };
  return { pane: "payload", folds: new Map(run.folds).set(line.path, !line.isFolded) };
}
