import type { RunDetail } from "../../contract/run.ts";
import { type BulkChange, changeRuns } from "../bulk/change-runs.ts";
import { readFilter } from "../bulk/read-filter.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { findRunToChange, namesRunToChange, runPath } from "../find-run.ts";
import { optionalArgument, value } from "../option.ts";
import { printRun } from "../print-run.ts";

/** The option of commands that change many runs at once. */
export const filterOption = value("NAME=VALUE,…", "every run that fits: status, slug, source, incident, since, until", {
  short: "-f",
  parse: readFilter,
});

export const cancel = defineCommand({
  name: "cancel",
  summary: "end a run that is not over, or every one that fits a filter",
  arguments: { run: optionalArgument(namesRunToChange) },
  options: { filter: filterOption },
  examples: ["cancel RUN", "cancel RUN --json", "cancel --filter status=waiting,slug=sync-crm,since=1h --yes"],
  async action(context, { run, filter }) {
    if (filter) return changeRuns(context, oneOnly(run, { ...bulkCancel, filter }));
    const client = await context.runtime();
    const id = await findRunToChange(context, client, requireRun(run));
    await printRun(context.output, await client.post<RunDetail>(`${runPath(id)}/cancel`));
  },
});

const openStatuses = ["accepted", "running", "waiting", "waiting_for_approval"] as const;

const bulkCancel: Omit<BulkChange, "filter"> = {
  verb: "Cancel",
  statuses: openStatuses,
  usual: openStatuses,
  change: async (client, { run_id }) => client.post<RunDetail>(`${runPath(run_id)}/cancel`),
};

/** Throws when a run is named beside a filter. */
export function oneOnly(run: string | undefined, bulk: BulkChange): BulkChange {
  if (run === undefined) return bulk;
  throw new CliError("usage", "Name a run or give --filter, not both.");
}

/** Throws when neither a run nor a filter was given. */
export function requireRun(run: string | undefined): string {
  if (run !== undefined) return run;
  throw new CliError("usage", "Name a run, or give --filter for many.");
}
