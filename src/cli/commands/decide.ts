import { createHash } from "node:crypto";
import type { Approval, ApprovalDetail, Decided, Decision } from "../../contract/approval.ts";
import { canonicalText } from "../../contract/canonical-text.ts";
import type { RunDetail } from "../../contract/run.ts";
import { statusCell, textCell, timeCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import { type Command, defineCommand } from "../command.ts";
import { type Context, type Terminal, canAsk, confirm } from "../context.ts";
import { findRunToChange, namesRunToChange, runPath } from "../find-run.ts";
import { argument, value } from "../option.ts";
import { printSheet } from "../print.ts";
import { readSource } from "../read-input.ts";
import { safeJson, safeText } from "../safe-text.ts";

const words = {
  approved: { name: "approve", summary: "approve what a run waits for; it goes on", question: "Approve" },
  rejected: { name: "reject", summary: "reject what a run waits for; it is cancelled", question: "Reject" },
} as const;

export const approve = defineDecision("approved");
export const reject = defineDecision("rejected");

/** Decides the request that was pending when the run was read, and no other (contract 7). */
function defineDecision(decision: Decision): Command {
  const { name, summary, question } = words[decision];
  return defineCommand({
    name,
    summary,
    arguments: {
      run: argument(namesRunToChange),
    },
    options: {
      comment: value("TEXT", "a comment, kept with the decision", { short: "-m" }),
      message: value("TEXT", "the same as --comment"),
      commentFile: value("FILE", "the comment is in this file, or - for stdin"),
      expectInputSha256: value("HEX", "decide only if this is the sha256 of the inputs, as approvals show tells it", {
        parse: readDigest,
      }),
    },
    examples: [
      `${name} RUN`,
      `${name} RUN -m "checked with the customer" --yes`,
      `${name} RUN --comment-file review.md`,
    ],
    async action(context, { run, comment: text, message, commentFile, expectInputSha256 }) {
      const { output, terminal } = context;
      const comment = await readComment(terminal, [text, message], commentFile);
      const client = await context.runtime();
      const id = await findRunToChange(context, client, run);
      const { approval } = await client.get<RunDetail>(runPath(id));
      if (approval?.status === "pending" && expectInputSha256 !== undefined)
        await expectInputs(context, approval, expectInputSha256);
      if (approval?.status === "pending" && canAsk(context))
        await confirm(context, `${question} ${describe(approval)}?`);
      const body = {
        decision,
        ...(comment !== undefined && { comment }),
        ...(approval && { approval_id: approval.id }),
      };
      try {
        const decided = await client.post<Decided>(`${runPath(id)}/approve`, body);
        await printSheet(output, {
          json: decided,
          id: decided.run_id,
          fields: [
            ["run", textCell(decided.run_id, "bold")],
            ["decision", textCell(decided.decision)],
            ["status", statusCell(decided.status, output.isUnicode)],
            ["decided", timeCell(decided.decided_at, output.now)],
          ],
        });
      } catch (error) {
        throw isResolved(error) ? new CliError("conflict", error.message, error.extra) : error;
      }
    },
  });
}

async function readComment(
  { stdin }: Terminal,
  texts: readonly (string | undefined)[],
  file: string | undefined,
): Promise<string | undefined> {
  const [text, ...others] = [...texts, file].filter((given) => given !== undefined);
  if (others.length > 0) throw new CliError("usage", "Give the comment once: with -m or with --comment-file.");
  if (file === undefined) return text;
  return (await readSource(file === "-" ? file : `@${file}`, stdin)).trimEnd();
}

function readDigest(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new Error("must be the 64 hex digits of a SHA-256");
}

/** The decision names the request, and a request never gets other inputs: what is right here stays right. */
async function expectInputs(context: Context, approval: Approval, expected: string): Promise<void> {
  const digest = await readInputsDigest(context, approval);
  if (digest === expected) return;
  const is = digest === null ? "can't be told from here" : `is ${digest}`;
  throw new CliError("conflict", `The sha256 of the inputs ${is}, and not ${expected}; nothing was decided.`, {
    hint: `look at them with: stepgate approvals show ${approval.run_id}`,
  });
}

/** Another daemon tells what it redacted to nobody: there the inputs count only where nothing is hidden. */
async function readInputsDigest(context: Context, approval: Approval): Promise<string | null> {
  if (await context.remote())
    return approval.redacted_count === 0
      ? createHash("sha256").update(canonicalText(approval.inputs)).digest("hex")
      : null;
  const client = await context.control();
  return (await client.get<ApprovalDetail>(`/control/approvals/${approval.id}`)).inputs_sha256;
}

function describe({ action_slug, step_id, description, inputs }: Approval): string {
  const what =
    step_id === null ? `the run of ${action_slug ?? "a workflow"}` : `step ${step_id} of ${action_slug ?? "a run"}`;
  const why = description === null ? "" : ` (${safeText(description)})`;
  return `${safeText(what)}${why} with ${safeJson(inputs)}`;
}

/** Somebody was faster: the table of exit codes calls it a conflict. */
function isResolved(error: unknown): error is CliError {
  return error instanceof CliError && error.message === "Approval already resolved";
}
