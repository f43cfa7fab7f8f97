import { isTerminal, type RunStatus } from "../../../contract/run.ts";
import { requestAtHand } from "./approvals.ts";
import { openForm } from "./form.ts";
import type { KeyAction } from "./keys.ts";
import type { Confirm, Model, Next } from "./model.ts";
import { isActable } from "./places.ts";
import { shortId } from "./short-id.ts";
import { say } from "./say.ts";

/** The model after a key that changes something at the daemon: it only opens the form or the question. */
export function updateAct(model: Model, action: KeyAction): Next | null {
  const denial = model.denied.get(action);
  if (denial !== undefined) return refuse(model, denial);
  switch (action) {
    case "approve":
      return decide(model, "approved");
    case "reject":
      return decide(model, "rejected");
    case "replay":
      return ask(model, "replay");
    case "cancel":
      return ask(model, "cancel");
    default:
      return null;
  }
}

function refuse(model: Model, text: string): Next {
  return [say(model, text, true), []];
}

function decide(model: Model, decision: "approved" | "rejected"): Next {
  if (!isActable(model)) return refuse(model, "Decisions are off while the daemon is not connected");
  const request = requestAtHand(model);
  if (!request) return refuse(model, "Select something that waits for a decision first");
  if (request.status !== "pending") return refuse(model, describeResolved(request.status));
  return [{ ...model, modal: openForm(request, decision, model.now, model.place.confirmBy) }, []];
}

function describeResolved(status: string): string {
  return `Already resolved (${status})`;
}

type Subject = { id: string; slug: string | null; status: RunStatus };

function subjectOf(model: Model): Subject | null {
  if (model.screen === "run") {
    const detail = model.run?.detail;
    return detail ? { id: detail.run_id, slug: detail.action_slug, status: detail.status } : null;
  }
  const { selected } = model.runs.list;
  const row = selected === null ? undefined : model.runs.rows.get(selected);
  return row ? { id: row.run_id, slug: row.action_slug, status: row.status } : null;
}

function ask(model: Model, what: Confirm["what"]): Next {
  if (!isActable(model)) return refuse(model, `The daemon is not connected: ${what} is off`);
  const subject = subjectOf(model);
  if (!subject) return refuse(model, `Select the run to ${what} first`);
  const isOver = isTerminal(subject.status);
  if (what === "cancel" && isOver) return refuse(model, `${shortId(subject.id)} is over: there is nothing to cancel`);
  if (what === "replay" && !isOver) return refuse(model, `${shortId(subject.id)} is not over yet: cancel it or wait`);
  const modal: Confirm = {
    kind: "confirm",
    what,
    runId: subject.id,
    actionSlug: subject.slug,
    openedAt: model.now,
    state: "open",
    plan: null,
    input: undefined,
    problem: null,
  };
  return [{ ...model, modal }, what === "replay" ? [{ type: "preview", runId: subject.id }] : []];
}
