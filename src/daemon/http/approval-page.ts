import type { ApprovalRecord } from "../../store/store.ts";

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Under no-referrer browsers send the form with `Origin: null`, which is refused; to others this tells nothing either.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
};

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}pre{white-space:pre-wrap;" +
  "overflow-wrap:anywhere;background:#f4f4f4;padding:1rem}textarea{width:100%}button{font:inherit;padding:.5rem 1.5rem;margin:1rem 1rem 0 0}";

/** The page of a request: a form while it can be decided, else what became of it. */
export function approvalPage(approval: ApprovalRecord): Response {
  const { actionSlug, stepId, description, inputs, status } = approval;
  const what =
    stepId === null ? `the run of ${actionSlug ?? "a workflow"}` : `step ${stepId} of ${actionSlug ?? "a run"}`;
  const parts = [
    description === null ? "" : `<p>${escapeHtml(description)}</p>`,
    `<p>It would run with:</p><pre>${escapeHtml(JSON.stringify(inputs, null, 2))}</pre>`,
    status === "pending" ? form(approval) : outcome(approval),
  ];
  const title = status === "pending" ? `Approve ${what}?` : `${capitalize(status)}: ${what}`;
  return page(200, title, parts.join("\n"));
}

/** A page with a sentence. */
export function messagePage(status: number, title: string, text: string): Response {
  return page(status, title, `<p>${escapeHtml(text)}</p>`);
}

/** The action is the page's own address: the form needs none. */
function form({ expiresAt, redactedCount }: ApprovalRecord): string {
  const hidden = redactedCount === 0 ? "" : `<p>${redactedCount} values are hidden.</p>`;
  return `${hidden}<p>It expires at ${escapeHtml(new Date(expiresAt).toISOString())}.</p>
<form method="post"><label>Comment<br><textarea name="comment" rows="3" maxlength="1000"></textarea></label><br>
<button name="decision" value="approved">Approve</button><button name="decision" value="rejected">Reject</button></form>`;
}

function outcome({ comment, decidedAt }: ApprovalRecord): string {
  const when = decidedAt === null ? "" : ` at ${new Date(decidedAt).toISOString()}`;
  return `<p>It was decided${escapeHtml(when)}.</p>${comment === null ? "" : `<p>${escapeHtml(comment)}</p>`}`;
}

function page(status: number, title: string, body: string): Response {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>${style}</style></head><body><h1>${escapeHtml(title)}</h1>
${body}</body></html>
`;
  return new Response(html, { status, headers });
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
