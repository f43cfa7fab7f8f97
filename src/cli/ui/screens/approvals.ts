import type { Approval } from "../../../contract/approval.ts";
import { showStep } from "../../journal-line.ts";
import { wrapWords } from "../draw/frame.ts";
import { type Line, lineOf, span } from "../draw/line.ts";
import { showAge, showLeft } from "../draw/moments.ts";
import { type Column, drawRow, drawTitles, placeColumns } from "../draw/table.ts";
import type { Theme } from "../draw/theme.ts";
import { selectedApproval, shownApprovals } from "../model/approvals.ts";
import { jsonLines } from "../model/json-lines.ts";
import { layoutOf } from "../model/layout.ts";
import { keepInSight } from "../model/list.ts";
import type { Model } from "../model/model.ts";
import { shortId } from "../model/short-id.ts";
import { drawForm, sayRedacted } from "./form.ts";

/** Lines from which on the form and the beginning of the details, which tell of redaction, stand below each other. */
const leastTold = 12;

/** Less than this is shown with a warning. */
const soonMs = 5 * 60_000;

/** What a request is about: a step of a run, or the run as a whole. */
export function gateOf({ step_id, iteration }: Pick<Approval, "step_id" | "iteration">): string {
  return step_id === null ? "the whole run" : showStep({ step_id, iteration });
}

export function approvalColumns({ now }: Pick<Model, "now">): Column<Approval>[] {
  return [
    {
      title: "EXPIRES",
      min: 9,
      cell: (request) => {
        if (request.status !== "pending") return { text: request.status, style: "dim" };
        const left = Date.parse(request.expires_at) - now;
        return { text: `${showLeft(left)}${left < soonMs ? " !" : ""}`, style: left < soonMs ? "yellow" : undefined };
      },
    },
    { title: "RUN", min: 8, cell: (request) => ({ text: shortId(request.run_id) }) },
    { title: "ACTION", min: 14, max: 32, cell: (request) => ({ text: request.action_slug ?? "-" }) },
    { title: "GATE", min: 14, max: 30, cell: (request) => ({ text: gateOf(request) }) },
    {
      title: "REDACTED",
      min: 8,
      align: "right",
      drop: 1,
      cell: ({ redacted_count: n }) => ({ text: n === 0 ? "-" : String(n) }),
    },
    {
      title: "AGE",
      min: 4,
      drop: 2,
      cell: (request) => ({ text: showAge(now - Date.parse(request.created_at)), style: "dim" }),
    },
  ];
}

/** Requests that wait for a decision, the details of the selected one, and the form in which it is decided. */
export function drawApprovals(model: Model, theme: Theme): Line[] {
  const { width, height, approvalRows } = layoutOf(model.size);
  const requests = shownApprovals(model.approvals);
  if (requests.length === 0) return drawNothing(model, width, height);
  const { list } = model.approvals;
  const columns = placeColumns(approvalColumns(model), width - 2);
  const index = requests.findIndex(({ id }) => id === list.selected);
  const top = keepInSight(list.top, index, approvalRows, requests.length);
  const rows = requests
    .slice(top, top + approvalRows)
    .map((one) => drawRow(columns, one, one.id === list.selected, theme));
  const filling = Array.from({ length: approvalRows - rows.length }, (): Line => []);
  const head = [drawTitles(columns, theme), ...rows, ...filling, lineOf(theme.box.across.repeat(width), "dim")];
  const room = height - head.length;
  const open = model.modal?.kind === "form" ? model.modal : null;
  // Where the details have room above the form, it need not say again what they say.
  const isTold = room >= leastTold;
  const form = open ? drawForm(isTold ? { ...open, redactedCount: 0 } : open, model, width - 2, theme) : [];
  const details = drawDetails(model, width, Math.max(0, room - form.length));
  return [...head, ...details, ...form.map((line): Line => [span(" "), ...line])];
}

function drawNothing(model: Model, width: number, height: number): Line[] {
  const text = model.approvals.all === null ? "Loading…" : "Nothing waits for a decision.";
  const above = Array.from({ length: Math.floor(height / 2) }, (): Line => []);
  return [...above, [{ text: " ".repeat(Math.max(0, Math.floor((width - text.length) / 2))) }, span(text)]];
}

function drawDetails(model: Model, width: number, height: number): Line[] {
  const form = model.modal?.kind === "form" ? model.modal : null;
  // While the form is open its own request is shown, whatever is selected behind it.
  const request = form
    ? (shownApprovals(model.approvals).find(({ id }) => id === form.approvalId) ?? null)
    : selectedApproval(model);
  const lines = request ? describe(request, model.now, width) : [lineOf(" Select a request with up or down.", "dim")];
  const shown = lines.slice(0, height);
  if (lines.length > height && height > 0)
    shown[height - 1] = lineOf(
      ` ${lines.length - height + 1} more lines: ${form ? "esc, then " : ""}p shows all`,
      "dim",
    );
  return [...shown, ...Array.from({ length: Math.max(0, height - shown.length) }, (): Line => [])];
}

function describe(request: Approval, now: number, width: number): Line[] {
  const about = wrapWords(span(request.description ?? `Goes on with ${gateOf(request)}`).text, width - 2);
  const inputs = jsonLines(request.inputs, new Map());
  return [
    ...about.map((text): Line => [span(` ${text}`, "bold")]),
    ...(request.redacted_count > 0 ? [lineOf(` ${sayRedacted(request.redacted_count)}`, "yellow")] : []),
    ...(request.status === "pending" ? [] : [lineOf(` ${resolvedText(request, now)}`, "yellow")]),
    ...inputs.map(({ depth, text }) => lineOf(`  ${"  ".repeat(depth)}${text}`)),
  ];
}

/** Who was faster, and what they decided. */
function resolvedText({ status, user_id: user, decided_at: at, decided_via: via }: Approval, now: number): string {
  const by = user === null ? "" : ` by ${user}`;
  const ago = at === null ? "" : ` ${showAge(Math.max(0, now - Date.parse(at)))} ago`;
  return `Already resolved${by} (${status}${via === null ? "" : ` via ${via}`})${ago}`;
}
