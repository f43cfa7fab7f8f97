import { shownApprovals } from "./approvals.ts";
import type { KeyAction } from "./keys.ts";
import { graphIds } from "./graph-rows.ts";
import { jsonLines } from "./json-lines.ts";
import { layoutOf } from "./layout.ts";
import { clamp, type ListState, type Move, moveSelection } from "./list.ts";
import type { Effect, Model, Next } from "./model.ts";
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
    const page = layout.height - 4;
    const top = Math.max(0, "by" in step(page) ? modal.top + moved(step(page)) : edge(step(page), 1000));
    return [{ ...model, modal: { ...modal, top } }, []];
  }
  switch (model.screen) {
    case "runs":
      return moveRuns(model, step(layout.listRows), layout.listRows);
    case "approvals": {
      const list = moveIn(model.approvals.list, shownApprovals(model.approvals), step, layout.approvalRows);
      return [{ ...model, approvals: { ...model.approvals, list } }, []];
    }
    case "actions": {
      const ids = (model.actions.all ?? []).map(({ slug }) => ({ id: slug }));
      return [
        { ...model, actions: { ...model.actions, list: moveIn(model.actions.list, ids, step, layout.listRows) } },
        [],
      ];
    }
    case "workflows": {
      const ids = (model.workflows.all ?? []).map(({ workflow_id: id }) => ({ id }));
      const list = moveIn(model.workflows.list, ids, step, layout.listRows);
      return [{ ...model, workflows: { ...model.workflows, list } }, []];
    }
    case "graph": {
      if (!model.graph) return [model, []];
      const ids = graphIds(model.graph).map((id) => ({ id }));
      return [{ ...model, graph: { ...model.graph, list: moveIn(model.graph.list, ids, step, layout.graphRows) } }, []];
    }
    case "run":
      return [model.run ? { ...model, run: moveInRun(model.run, step, layout) } : model, []];
  }
}

function moved(move: Move): number {
  return "by" in move ? move.by : 0;
}

function edge(move: Move, bottom: number): number {
  return "to" in move && move.to === "bottom" ? bottom : 0;
}

function moveIn(list: ListState, rows: readonly { id: string }[], step: (page: number) => Move, height: number) {
  const ids = rows.map(({ id }) => id);
  return moveSelection(list, ids, step(height), height);
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

function moveInRun(run: RunState, step: (page: number) => Move, layout: ReturnType<typeof layoutOf>): RunState {
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
