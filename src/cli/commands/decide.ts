import type { Approval, Decided, Decision } from "../../contract/approval.ts";
import type { RunDetail } from "../../contract/run.ts";
import { statusCell, textCell, timeCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import { type Command, defineCommand } from "../command.ts";
import { type Terminal, canAsk, confirm } from "../context.ts";
import { findRunId, runPath } from "../find-run.ts";
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
      run: argument("id of the run; at a terminal its first 6 characters or more do, when they are unique"),
    },
    options: {
      message: value("TEXT", "a comment, kept with the decision", { short: "-m" }),
      commentFile: value("FILE", "the comment is in this file, or - for stdin"),
    },
    examples: [
      `${name} RUN`,
      `${name} RUN -m "checked with the customer" --yes`,
      `${name} RUN --comment-file review.md`,
    ],
    async action(context, { run, message, commentFile }) {
      const { output, terminal } = context;
      const comment = await readComment(terminal, message, commentFile);
      const client = await context.runtime();
      const id = await findRunId(context, client, run);
      const { approval } = await client.get<RunDetail>(runPath(id));
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
  message: string | undefined,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return message;
  if (message !== undefined) throw new CliError("usage", "Give the comment with -m or --comment-file, not both.");
  return (await readSource(file === "-" ? file : `@${file}`, stdin)).trimEnd();
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
