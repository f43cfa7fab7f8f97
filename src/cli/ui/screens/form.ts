import { maxCommentLength } from "../../../contract/approval.ts";
import { showStep } from "../../journal-line.ts";
import { drawBox } from "../draw/frame.ts";
import { fitText, type Line, lineOf, span, spread, textWidth } from "../draw/line.ts";
import { sayLeft } from "../draw/moments.ts";
import type { Theme } from "../draw/theme.ts";
import type { DecisionForm } from "../model/form.ts";
import type { Model } from "../model/model.ts";
import { shortId } from "../model/short-id.ts";

/** The form of a decision: what is decided, a comment, and the characters that confirm it. */
export function drawForm(form: DecisionForm, { now }: Pick<Model, "now">, width: number, theme: Theme): Line[] {
  const inner = width - 4;
  const gate = form.stepId === null ? "the whole run" : showStep({ step_id: form.stepId, iteration: null });
  const verb = form.decision === "approved" ? "Approve" : "Reject";
  const choice = (decision: string, word: string) => `(${form.decision === decision ? "•" : " "}) ${word}`;
  const left = sayLeft(Date.parse(form.expiresAt) - now);
  const counter = lineOf(`${Array.from(form.comment).length}/${maxCommentLength}`, "dim");
  const commentRoom = Math.max(8, inner - 10 - 10);
  const lines: Line[] = [
    spread(
      [
        ...name("Decision", form.field === "decision", theme),
        span(`${choice("approved", "approve")}   ${choice("rejected", "reject")}`),
      ],
      lineOf(left, "dim"),
      inner,
      theme.more,
    ),
    spread(
      [
        ...name("Comment", form.field === "comment", theme),
        ...typed(form.comment, form.field === "comment", commentRoom, theme),
      ],
      counter,
      inner,
      theme.more,
    ),
    ...(form.redactedCount > 0 ? [lineOf(sayRedacted(form.redactedCount), "yellow")] : []),
    [
      ...name("Confirm", form.field === "confirm", theme),
      span(`type ${form.wanted}: `),
      ...typed(form.typed, form.field === "confirm", 12, theme),
      ...(form.state === "sending" ? [span("  sending", "cyan")] : []),
    ],
    ...(form.problem === null ? [] : [lineOf(form.problem, "red")]),
  ];
  const title = `${verb} ${shortId(form.runId)} · ${form.actionSlug ?? "a run"} · ${gate}`;
  return drawBox(title, lines, width, theme, "enter next, then submit · esc cancel");
}

/** What one decides on without seeing it. */
export function sayRedacted(count: number): string {
  return count === 1
    ? "1 value is redacted: it is not shown, but sent as it is"
    : `${count} values are redacted: they are not shown, but sent as they are`;
}

function name(text: string, hasFocus: boolean, { marker }: Theme): Line {
  return [span(`${text.padEnd(8)}${hasFocus ? marker : " "} `, hasFocus ? "cyan" : "dim")];
}

/** A text as it is typed: its end stays in sight. */
function typed(text: string, hasFocus: boolean, room: number, { cursor, more }: Theme): Line {
  const safe = span(text).text;
  let shown = safe;
  while (textWidth(shown) > room - 1) shown = shown.slice(1);
  const cut = shown === safe ? shown : fitText(more + shown.slice(1), room - 1, more);
  return [span(cut), ...(hasFocus ? [span(cursor, "cyan")] : [])];
}
