import type { WatchedRun } from "../../../contract/run-watch.ts";
import { matchesFilter, parseFilter } from "./filter.ts";
import { emptyList, type ListState, type Move, moveSelection } from "./list.ts";

/** Runs that are kept, the newest ones (cli.md, measured fact 6). */
export const keptRuns = 1000;

export type RunsState = {
  rows: ReadonlyMap<string, WatchedRun>;
  /** Ids of `rows`, newest first. */
  ids: readonly string[];
  /** How many there are in all, also those that are not loaded. */
  total: number;
  isLoaded: boolean;
  filter: string;
  list: ListState;
  /** While a row is selected: the ids that are shown, in an order that nothing changes. */
  frozen: readonly string[] | null;
};

export const noRuns: RunsState = {
  rows: new Map(),
  ids: [],
  total: 0,
  isLoaded: false,
  filter: "",
  list: emptyList,
  frozen: null,
};

/** Takes rows in; of a run that is known the newer state replaces the older one, in its place. */
export function takeRuns(state: RunsState, runs: readonly WatchedRun[], total?: number): RunsState {
  const rows = new Map(state.rows);
  const added = runs.filter((run) => !rows.has(run.run_id)).length;
  for (const run of runs) rows.set(run.run_id, run);
  // Ids are in the order of their times (UUIDv7).
  const ids = [...rows.keys()].toSorted((a, b) => (a < b ? 1 : -1));
  const shown = new Set(state.frozen);
  for (const id of ids.splice(keptRuns)) if (!shown.has(id)) rows.delete(id);
  return { ...state, rows, ids, total: total ?? state.total + added, isLoaded: true };
}

/** Begins anew with a list that was just read; what is selected stays selected. */
export function replaceRuns(state: RunsState, runs: readonly WatchedRun[], total: number): RunsState {
  const frozen = new Set(state.frozen);
  const kept = new Map([...state.rows].filter(([id]) => frozen.has(id)));
  return takeRuns({ ...state, rows: kept, ids: [] }, runs, total);
}

/** What the list shows, newest first: while a row is selected, what it showed then. */
export function shownRuns(state: RunsState, now: number): WatchedRun[] {
  const ids = state.frozen ?? matchingIds(state, now);
  return ids.flatMap((id) => {
    const run = state.rows.get(id);
    return run ? [run] : [];
  });
}

/** How many runs came while the list stood still. */
export function queuedRuns(state: RunsState, now: number): number {
  if (state.frozen === null) return 0;
  const newest = state.frozen[0] ?? "";
  return matchingIds(state, now).filter((id) => id > newest).length;
}

export function moveInRuns(state: RunsState, move: Move, height: number, now: number): RunsState {
  const isAdmitting = "to" in move && move.to === "top";
  const frozen = isAdmitting || state.frozen === null ? matchingIds(state, now) : state.frozen;
  const list = moveSelection(state.list, frozen, move, height);
  return { ...state, list, frozen: list.selected === null ? null : frozen };
}

/** Lets go of the selection: the list is live again. */
export function releaseRuns(state: RunsState): RunsState {
  return { ...state, list: emptyList, frozen: null };
}

/** Filters while it is typed. What is selected stays so as long as it is shown. */
export function filterRuns(state: RunsState, filter: string, now: number): RunsState {
  const next = { ...state, filter, frozen: null };
  const ids = matchingIds(next, now);
  const { selected } = state.list;
  if (selected === null || !ids.includes(selected)) return releaseRuns(next);
  return { ...next, frozen: ids, list: { selected, top: Math.min(state.list.top, ids.indexOf(selected)) } };
}

function matchingIds({ ids, rows, filter }: RunsState, now: number): string[] {
  if (filter.trim() === "") return [...ids];
  const wanted = parseFilter(filter, new Date(now));
  return ids.filter((id) => {
    const run = rows.get(id);
    return run !== undefined && matchesFilter(run, wanted);
  });
}
