import type { Approval } from "../../../contract/approval.ts";
import type { Effect, Modal, Model } from "./model.ts";
import { type MessageOf as Of, say, type Updaters } from "./say.ts";

type Question<K extends Modal["kind"]> = Extract<Modal, { kind: K }>;

/** What comes back for a form or a question. It counts only for the one that is still open and about the same thing. */
export const updaters: Updaters<"plan" | "edited" | "decided" | "resolved" | "acted" | "failed"> = {
  plan: (model, { runId, plan }) => [inQuestion(model, runId, (modal) => ({ ...modal, plan })), []],
  edited: (model, { runId, input, problem }) => [
    inQuestion(model, runId, (modal) => ({ ...modal, input: input ?? modal.input, problem })),
    [],
  ],
  decided(model, { approvalId, decision, text }) {
    const decided = model.approvals.all?.find(({ id }) => id === approvalId);
    const next = decided ? takeResolved(model, { ...decided, status: decision }) : model;
    const isOpen = model.modal?.kind === "form" && model.modal.approvalId === approvalId;
    return [say(isOpen ? { ...next, modal: null } : next, text), reloadAfter(model)];
  },
  resolved: (model, { approval }) => [takeResolved(model, approval), reloadAfter(model)],
  acted(model, { runId, text }) {
    const isOpen = model.modal?.kind === "confirm" && model.modal.runId === runId;
    return [say(isOpen ? { ...model, modal: null } : model, text), []];
  },
  failed: (model, message) => [fail(model, message), []],
};

function inQuestion(model: Model, runId: string, change: (modal: Question<"confirm">) => Question<"confirm">): Model {
  const { modal } = model;
  return modal?.kind === "confirm" && modal.runId === runId ? { ...model, modal: change(modal) } : model;
}

function reloadAfter({ run }: Model): Effect[] {
  return [{ type: "load-approvals" }, ...(run ? [{ type: "load-run", runId: run.id } as const] : [])];
}

/** What was decided, by whomever, stands in the list until the selection moves on. */
function takeResolved(model: Model, approval: Approval): Model {
  const all = model.approvals.all?.filter(({ id }) => id !== approval.id) ?? null;
  return { ...model, approvals: { ...model.approvals, all, gone: new Map([[approval.id, approval]]) } };
}

type Failure = Of<"failed">;

/** Each failure is told where its cause is: in the form, in the question, on the screen, or else below it. */
const failures: Record<Failure["what"], (model: Model, failure: Failure) => Model | null> = {
  decision: (model, { subject, text }) =>
    model.modal?.kind === "form" && model.modal.approvalId === subject
      ? { ...model, modal: { ...model.modal, state: "open", problem: text } }
      : null,
  confirm: (model, { subject, text }) =>
    model.modal?.kind === "confirm" && model.modal.runId === subject
      ? { ...model, modal: { ...model.modal, state: "open", problem: text } }
      : null,
  run: (model, { subject, text }) =>
    model.run?.id === subject ? { ...model, run: { ...model.run, problem: text } } : null,
  graph: (model, { subject, text }) =>
    model.graph?.workflowId === subject ? { ...model, graph: { ...model.graph, problem: text } } : null,
  list: () => null,
};

function fail(before: Model, failure: Failure): Model {
  const denied = (failure.denied ?? []).map((action) => [action, failure.text] as const);
  const model = denied.length === 0 ? before : { ...before, denied: new Map([...before.denied, ...denied]) };
  return failures[failure.what](model, failure) ?? say(model, failure.text, true);
}
