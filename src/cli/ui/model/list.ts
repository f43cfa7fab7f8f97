/** A list with a selection: by id, never by place, so that rows may come and go around it. */
export type ListState = {
  selected: string | null;
  /** First row that is shown. */
  top: number;
};

export const emptyList: ListState = { selected: null, top: 0 };

/** How far a key moves; null selects the end of that side. */
export type Move = { by: number } | { to: "top" | "bottom" };

/** The list after a move, with the selection in sight. Where nothing is selected the first row on the way is. */
export function moveSelection(list: ListState, ids: readonly string[], move: Move, height: number): ListState {
  if (ids.length === 0) return { selected: null, top: 0 };
  const index = list.selected === null ? -1 : ids.indexOf(list.selected);
  const next = clamp(nextIndex(index, move, ids.length), 0, ids.length - 1);
  return { selected: ids[next] ?? null, top: keepInSight(list.top, next, height, ids.length) };
}

function nextIndex(index: number, move: Move, count: number): number {
  if ("to" in move) return move.to === "top" ? 0 : count - 1;
  return index === -1 ? 0 : index + move.by;
}

/** The first row to show, so that the row at `index` can be seen and the end of the list leaves no hole. */
export function keepInSight(top: number, index: number, height: number, count: number): number {
  const last = Math.max(0, count - height);
  if (index < 0) return clamp(top, 0, last);
  return clamp(clamp(top, index - height + 1, index), 0, last);
}

export function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
