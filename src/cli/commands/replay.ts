import type { ReplayPlan } from "../../contract/replay.ts";
import type { RunDetail } from "../../contract/run.ts";
import { type BulkChange, changeRuns } from "../bulk/change-runs.ts";
import { textCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import type { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { editInput } from "../edit-input.ts";
import { findRunToChange, namesRunToChange, runPath } from "../find-run.ts";
import { flag, oneOf, optionalArgument, value } from "../option.ts";
import type { Output } from "../output.ts";
import { type JsonObject } from "../parse-input.ts";
import { parseDuration } from "../parse-duration.ts";
import { printStartedRun } from "../print-run.ts";
import { printSheet } from "../print.ts";
import { readInputObject } from "../read-input.ts";
import { filterOption, oneOnly, requireRun } from "./cancel.ts";
import { printEnd, readPatience } from "./run.ts";

export const replay = defineCommand({
  name: "replay",
  summary: "start a run anew from one that is over",
  arguments: { run: optionalArgument(namesRunToChange) },
  options: {
    input: value("JSON", "run everything again with this input: JSON, @FILE, or - for stdin"),
    edit: flag("change the input in $VISUAL or $EDITOR first; runs everything again"),
    filter: filterOption,
    from: value("WHERE", "failed (what did not end well), start, or the id of a step (failed)"),
    preview: flag("tell what would run again and do nothing"),
    wait: flag("wait for the end; the exit code tells it (stepgate help exit-codes)", "-w"),
    follow: flag("print the journal as it is written; waits, too"),
    timeout: value("TIME", "give up waiting after this time; the run goes on", { parse: parseDuration }),
    onApproval: value("WHAT", "while waiting: exit at an approval, or wait for it (wait at a terminal, else exit)", {
      parse: oneOf("exit", "wait"),
    }),
  },
  examples: [
    "replay RUN --preview",
    "replay RUN --wait",
    "replay RUN --from start --input @fixed.json",
    "replay RUN --edit --wait",
    "replay --filter status=failed,since=1h --yes",
  ],
  async action(context, { run, input, edit, filter, from, preview, ...waiting }) {
    const { output, terminal } = context;
    if (filter)
      return replayMany(context, oneOnly(run, { ...bulkReplay(from), filter }), { input, edit, preview, ...waiting });
    if (edit && (input !== undefined || preview))
      throw new CliError("usage", "--edit goes with neither --input nor --preview.");
    const { isWaiting, timeout, ...patience } = await readPatience(context, waiting);
    const client = await context.runtime();
    const id = await findRunToChange(context, client, requireRun(run));
    const edited = input === undefined ? {} : { input: await readInputObject(input, terminal.stdin) };
    const body = { ...edited, ...(from === undefined ? {} : { from }) };
    if (preview) return printPlan(output, await client.post<ReplayPlan>(`${runPath(id)}/replay/preview`, body));
    const start = async (whole: object) => client.post<RunDetail>(`${runPath(id)}/replay`, whole);
    const started = edit
      ? await editAndStart(context, client, id, async (own) => start({ ...body, input: own }))
      : await start(body);
    const copied = started.steps.length;
    if (copied > 0) output.note(`${copied} ${copied === 1 ? "step is" : "steps are"} taken over from ${id}`);
    if (!isWaiting) return printStartedRun(output, started);
    await printEnd(context, client, started, { ...patience, timeoutMs: timeout });
  },
});

/** Has the input of the run changed, and starts with what came of it. */
async function editAndStart(
  context: Context,
  client: Client,
  id: string,
  start: (input: JsonObject) => Promise<RunDetail>,
): Promise<RunDetail> {
  const { input } = await client.get<RunDetail>(runPath(id));
  return editInput(context, `The input of the replay of run ${id}.`, input, start);
}

type Single = { input: string | undefined; edit: boolean; preview: boolean; wait: boolean; follow: boolean };

async function replayMany(context: Context, bulk: BulkChange, single: Single): Promise<void> {
  const { input, edit, preview, wait, follow } = single;
  if (input !== undefined || edit || preview || wait || follow) {
    throw new CliError("usage", "--filter goes with none of --input, --edit, --preview, --wait and --follow.");
  }
  await changeRuns(context, bulk);
}

function bulkReplay(from: string | undefined): Omit<BulkChange, "filter"> {
  return {
    verb: "Replay",
    statuses: ["failed", "timed_out", "cancelled", "succeeded"],
    usual: ["failed", "timed_out"],
    change: async (client, { run_id }) =>
      client.post<RunDetail>(`${runPath(run_id)}/replay`, from === undefined ? {} : { from }),
  };
}

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
