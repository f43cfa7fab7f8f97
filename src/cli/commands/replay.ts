import type { ReplayPlan } from "../../contract/replay.ts";
import type { RunDetail } from "../../contract/run.ts";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { findRunId, runPath } from "../find-run.ts";
import { argument, flag, oneOf, value } from "../option.ts";
import type { Output } from "../output.ts";
import { parseDuration } from "../parse-duration.ts";
import { printStartedRun } from "../print-run.ts";
import { printSheet } from "../print.ts";
import { readInputObject } from "../read-input.ts";
import { printEnd, readPatience } from "./run.ts";

export const replay = defineCommand({
  name: "replay",
  summary: "start a run anew from one that is over",
  arguments: { run: argument("id of the run") },
  options: {
    input: value("JSON", "run everything again with this input: JSON, @FILE, or - for stdin"),
    from: value("WHERE", "failed (what did not end well), start, or the id of a step (failed)"),
    preview: flag("tell what would run again and do nothing"),
    wait: flag("wait for the end; the exit code tells it (stepgate help exit-codes)", "-w"),
    follow: flag("print the journal as it is written; waits, too"),
    timeout: value("TIME", "give up waiting after this time; the run goes on", { parse: parseDuration }),
    onApproval: value("WHAT", "while waiting: exit at an approval, or wait for it (wait at a terminal, else exit)", {
      parse: oneOf("exit", "wait"),
    }),
  },
  examples: ["replay RUN --preview", "replay RUN --wait", "replay RUN --from start --input @fixed.json"],
  async action(context, { run, input, from, preview, ...waiting }) {
    const { output, terminal } = context;
    const { isWaiting, timeout, ...patience } = await readPatience(context, waiting);
    const client = await context.runtime();
    const id = await findRunId(context, client, run);
    const edited = input === undefined ? {} : { input: await readInputObject(input, terminal.stdin) };
    const body = { ...edited, ...(from === undefined ? {} : { from }) };
    if (preview) return printPlan(output, await client.post<ReplayPlan>(`${runPath(id)}/replay/preview`, body));
    const started = await client.post<RunDetail>(`${runPath(id)}/replay`, body);
    const copied = started.steps.length;
    if (copied > 0) output.note(`${copied} ${copied === 1 ? "step is" : "steps are"} taken over from ${id}`);
    if (!isWaiting) return printStartedRun(output, started);
    await printEnd(context, client, started, { ...patience, timeoutMs: timeout });
  },
});

async function printPlan(output: Output, plan: ReplayPlan): Promise<void> {
  const list = (ids: readonly string[]) => textCell(ids.length === 0 ? "nothing" : ids.join(", "));
  const refused = plan.refused.map(
    ({ step_id, reason }) => ["refused", textCell(`${step_id}: ${reason}`, "red")] as const,
  );
  await printSheet(output, {
    json: plan,
    id: null,
    fields: [
      ["taken over", list(plan.reused)],
      ["runs again", list(plan.rerun)],
      ["acts again", list(plan.side_effects_repeated)],
      ...refused,
    ],
  });
  if (plan.rerun.length === 0)
    output.note("There is nothing to run: the replay would succeed at once; see --from start.");
}
