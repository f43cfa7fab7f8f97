import type { Approval } from "../../../contract/approval.ts";
import type { Model } from "./model.ts";

/** Requests that wait, the oldest first, so that a new one moves no other; and the selected one, even if it is over. */
export function shownApprovals({ all, list, gone }: Model["approvals"]): Approval[] {
  const shown = [...(all ?? [])];
  const selected = list.selected === null ? undefined : gone.get(list.selected);
  if (selected && !shown.some(({ id }) => id === selected.id)) shown.push(selected);
  // Ids are in the order of their times (UUIDv7).
  return shown.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export function selectedApproval(model: Model): Approval | null {
  const { selected } = model.approvals.list;
  return shownApprovals(model.approvals).find(({ id }) => id === selected) ?? null;
}

/** Takes a list that was just read; remembers the selected request where it is no longer on it. */
export function takeApprovals(state: Model["approvals"], approvals: readonly Approval[]): Model["approvals"] {
  const { selected } = state.list;
  const before =
    state.all?.find(({ id }) => id === selected) ?? (selected === null ? undefined : state.gone.get(selected));
  const isGone = before !== undefined && !approvals.some(({ id }) => id === selected);
  return { ...state, all: approvals, gone: isGone ? new Map([[before.id, before]]) : new Map() };
}

/** The pending request of what is selected on the current screen. */
export function requestAtHand(model: Model): Approval | null {
  if (model.screen === "approvals") return selectedApproval(model);
  if (model.screen === "run") return model.run?.detail?.approval ?? null;
  const { selected } = model.runs.list;
  return model.approvals.all?.find(({ run_id }) => run_id === selected) ?? null;
}
