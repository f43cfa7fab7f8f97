import { type Approval, type Decision, maxCommentLength } from "../../../contract/approval.ts";
import { confirmation, type ConfirmBy } from "./short-id.ts";

/** Keys that were typed ahead must not reach a form that has just opened. */
export const guardMs = 300;

export type FormField = "decision" | "comment" | "confirm";
const order: readonly FormField[] = ["decision", "comment", "confirm"];

/**
 * A decision in the making. It is about the request that was selected when it opened, whatever the list behind it does:
 * the ids are captured here and sent as they are.
 */
export type DecisionForm = {
  kind: "form";
  approvalId: string;
  runId: string;
  actionSlug: string | null;
  stepId: string | null;
  expiresAt: string;
  redactedCount: number;
  decision: Decision;
  comment: string;
  /** What has to be typed. */
  wanted: string;
  typed: string;
  field: FormField;
  openedAt: number;
  state: "open" | "sending";
  /** Why it was not sent, or what came back. */
  problem: string | null;
};

export function openForm(approval: Approval, decision: Decision, now: number, by: ConfirmBy): DecisionForm {
  return {
    kind: "form",
    approvalId: approval.id,
    runId: approval.run_id,
    actionSlug: approval.action_slug,
    stepId: approval.step_id,
    expiresAt: approval.expires_at,
    redactedCount: approval.redacted_count,
    decision,
    comment: "",
    wanted: confirmation(approval.run_id, by),
    typed: "",
    field: "comment",
    openedAt: now,
    state: "open",
    problem: null,
  };
}

/** The form after a key that means nothing else; `submit` when it is complete and may be sent. */
export function typeInForm(form: DecisionForm, key: string): { form: DecisionForm; submit: boolean } {
  const stay = (changes: Partial<DecisionForm>) => ({ form: { ...form, problem: null, ...changes }, submit: false });
  if (key === "tab" || key === "down") return stay({ field: nextField(form.field, 1) });
  if (key === "shift-tab" || key === "up") return stay({ field: nextField(form.field, -1) });
  if (key === "enter") return pressEnter(form);
  if (form.field === "decision") return stay(toggles.has(key) ? { decision: other(form.decision) } : {});
  const text = form.field === "comment" ? form.comment : form.typed;
  const next = editText(text, key, form.field === "comment" ? maxCommentLength : form.wanted.length);
  return stay(form.field === "comment" ? { comment: next } : { typed: next });
}

const toggles: ReadonlySet<string> = new Set(["left", "right", "space"]);

function pressEnter(form: DecisionForm): { form: DecisionForm; submit: boolean } {
  if (form.field !== "confirm") return { form: { ...form, field: nextField(form.field, 1) }, submit: false };
  const { wanted } = form;
  if (form.typed.toLowerCase() === wanted) return { form: { ...form, state: "sending", problem: null }, submit: true };
  return { form: { ...form, typed: "", problem: `That is not ${wanted}: nothing was sent` }, submit: false };
}

/** Text pasted into a form: line breaks become spaces; the confirmation has to be typed. */
export function pasteInForm(form: DecisionForm, text: string): DecisionForm {
  if (form.field !== "comment") return { ...form, problem: "The confirmation has to be typed" };
  const pasted = text.replaceAll(/\s+/g, " ");
  return { ...form, comment: cutCharacters(form.comment + pasted, maxCommentLength), problem: null };
}

function nextField(field: FormField, by: number): FormField {
  return order[(order.indexOf(field) + by + order.length) % order.length] ?? "comment";
}

function other(decision: Decision): Decision {
  return decision === "approved" ? "rejected" : "approved";
}

/** A one-line text after a key. Named keys such as `left` are no text. */
export function editText(text: string, key: string, max: number): string {
  if (key === "backspace" || key === "delete") return text.replace(/\P{M}\p{M}*$/u, "");
  if (key === "ctrl-u") return "";
  if (key === "space") return cutCharacters(`${text} `, max);
  return isText(key) ? cutCharacters(text + key, max) : text;
}

/** Whether a key is one written character: it is one grapheme, and every named key has several letters. */
function isText(key: string): boolean {
  return key.length === 1 || (key !== "" && !/^[ -~]/.test(key));
}

function cutCharacters(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}
