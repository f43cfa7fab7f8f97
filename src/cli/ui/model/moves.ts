import { shownApprovals } from "./approvals.ts";
import type { KeyAction } from "./keys.ts";
import { graphIds } from "./graph-rows.ts";
import { jsonLines } from "./json-lines.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { clamp, type Move, moveSelection } from "./list.ts";
import type { Effect, Model, Next, Screen } from "./model.ts";
import { type RunState, shownPayload, stepRows } from "./run.ts";
import { moveInRuns, shownRuns } from "./runs.ts";

const steps: Partial<Record<KeyAction, (page: number) => Move>> = {
  up: () => ({ by: -1 }),
  down: () => ({ by: 1 }),
  "page-up": (page) => ({ by: -page }),
  "page-down": (page) => ({ by: page }),
  top: () => ({ to: "top" }),
  bottom: () => ({ to: "bottom" }),
};

/** The model after a key that moves, on whatever has the focus; null for every other key. */
export function updateMove(model: Model, action: KeyAction): Next | null {
  const step = steps[action];
  if (!step) return null;
  const layout = layoutOf(model.size);
  const { modal } = model;
  if (modal?.kind === "help" || modal?.kind === "log") {
    const move = step(layout.height - 4);
    const top = Math.max(0, "by" in move ? modal.top + move.by : edge(move, 1000));
    return [{ ...model, modal: { ...modal, top } }, []];
  }
  return movers[model.screen](model, step, layout);
}

type Step = (page: number) => Move;
type Mover = (model: Model, step: Step, layout: Layout) => Next;

const movers: Record<Screen, Mover> = {
  runs: (model, step, { listRows }) => moveRuns(model, step(listRows), listRows),
  approvals: (model, step, { approvalRows }) => {
    const ids = shownApprovals(model.approvals).map(({ id }) => id);
    const list = moveSelection(model.approvals.list, ids, step(approvalRows), approvalRows);
    return [{ ...model, approvals: { ...model.approvals, list } }, []];
  },
  actions: (model, step, { listRows }) => {
    const ids = (model.actions.all ?? []).map(({ slug }) => slug);
    const list = moveSelection(model.actions.list, ids, step(listRows), listRows);
    return [{ ...model, actions: { ...model.actions, list } }, []];
  },
  workflows: (model, step, { listRows }) => {
    const ids = (model.workflows.all ?? []).map(({ workflow_id: id }) => id);
    const list = moveSelection(model.workflows.list, ids, step(listRows), listRows);
    return [{ ...model, workflows: { ...model.workflows, list } }, []];
  },
  graph: (model, step, { graphRows }) => {
    if (!model.graph) return [model, []];
    const list = moveSelection(model.graph.list, graphIds(model.graph), step(graphRows), graphRows);
    return [{ ...model, graph: { ...model.graph, list } }, []];
  },
  run: (model, step, layout) => [model.run ? { ...model, run: moveInRun(model.run, step, layout) } : model, []],
};

function edge(move: Move, bottom: number): number {
  return "to" in move && move.to === "bottom" ? bottom : 0;
}

/** At the end of what is loaded a page down asks for older runs. */
function moveRuns(model: Model, move: Move, height: number): Next {
  const before = model.runs.list.selected;
  const runs = moveInRuns(model.runs, move, height, model.now);
  const isAtEnd = runs.list.selected === shownRuns(runs, model.now).at(-1)?.run_id && "by" in move && move.by > 1;
  const hasMore = runs.ids.length < runs.total || runs.filter !== "";
  const effects: Effect[] =
    isAtEnd && hasMore && before !== null ? [{ type: "load-runs", filter: runs.filter, offset: runs.ids.length }] : [];
  return [{ ...model, runs }, effects];
}

function moveInRun(run: RunState, step: (page: number) => Move, layout: Layout): RunState {
  const { paneRows, payloadRows } = layout;
  if (run.pane === "steps") {
    const ids = stepRows(run).map(({ key }) => key);
    const list = moveSelection(run.list, ids, step(paneRows), paneRows);
    return { ...run, list, payload: { selected: null, top: 0 } };
  }
  if (run.pane === "payload") {
    const paths = jsonLines(shownPayload(run).value, run.folds).map(({ path }) => path);
    return { ...run, payload: moveSelection(run.payload, paths, step(payloadRows), payloadRows) };
  }
  const last = Math.max(0, run.events.length - paneRows);
  const from = run.isFollowing ? last : run.journalTop;
  const move = step(paneRows);
  const top = clamp("by" in move ? from + move.by : edge(move, last), 0, last);
  return { ...run, journalTop: top, isFollowing: top === last && (run.isFollowing || !("by" in move) || move.by > 0) };
}
