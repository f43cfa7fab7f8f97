import { editText, guardMs, pasteInForm, typeInForm } from "./form.ts";
import type { KeyAction } from "./keys.ts";
import type { Confirm, Model, Next } from "./model.ts";
import { isActable } from "./places.ts";
import { filterRuns } from "./runs.ts";

/** The model after a key while a form, a question or the filter takes them all; null where none does. */
export function updateModalKey(model: Model, key: string, action: KeyAction | null, at: number): Next | null {
  const { modal } = model;
  if (model.isFiltering) return updateFilter(model, key);
  if (modal === null) return null;
  if (modal.kind === "help" || modal.kind === "log") {
    return action === "back" || action === null ? [{ ...model, modal: null }, []] : null;
  }
  // What was typed ahead was meant for the screen before.
  if (at - modal.openedAt < guardMs || modal.state === "sending") return [model, []];
  if (action === "back") return [{ ...model, modal: null }, []];
  return modal.kind === "form" ? updateForm(model, key) : updateConfirm(model, modal, key, action);
}

function updateForm(model: Model, key: string): Next {
  const { modal } = model;
  if (modal?.kind !== "form") return [model, []];
  const { form, submit } = typeInForm(modal, key);
  if (!submit) return [{ ...model, modal: form }, []];
  if (!isActable(model))
    return [
      { ...model, modal: { ...form, state: "open", problem: "The daemon is not connected: nothing was sent" } },
      [],
    ];
  const { runId, approvalId, decision, comment } = form;
  return [{ ...model, modal: form }, [{ type: "decide", runId, approvalId, decision, comment }]];
}

function updateConfirm(model: Model, modal: Confirm, key: string, action: KeyAction | null): Next {
  if (action === "edit" && modal.what === "replay") return [model, [{ type: "edit-input", runId: modal.runId }]];
  if (key !== "y") return [model, []];
  if (!isActable(model)) return [{ ...model, modal: { ...modal, problem: "The daemon is not connected" } }, []];
  const sending: Model = { ...model, modal: { ...modal, state: "sending", problem: null } };
  const { runId, input } = modal;
  return [sending, [modal.what === "cancel" ? { type: "cancel", runId } : { type: "replay", runId, input }]];
}

function updateFilter(model: Model, key: string): Next {
  const { runs, now } = model;
  if (key === "esc") return [{ ...model, isFiltering: false, runs: filterRuns(runs, "", now) }, []];
  if (key === "enter") {
    const effects = runs.filter.trim() === "" ? [] : [{ type: "load-runs", filter: runs.filter, offset: 0 } as const];
    return [{ ...model, isFiltering: false }, effects];
  }
  return [{ ...model, runs: filterRuns(runs, editText(runs.filter, key, 200), now) }, []];
}

/** The model after text that was pasted: only fields of text take it. */
export function updatePaste(model: Model, text: string, at: number): Next {
  const { modal } = model;
  if (model.isFiltering) {
    const filter = (model.runs.filter + text.replaceAll(/\s+/g, " ")).slice(0, 200);
    return [{ ...model, runs: filterRuns(model.runs, filter, model.now) }, []];
  }
  if (modal?.kind !== "form" || at - modal.openedAt < guardMs || modal.state === "sending") return [model, []];
  return [{ ...model, modal: pasteInForm(modal, text) }, []];
}
