import type { RunList, RunRow, RunStatus } from "../../contract/run.ts";
import { statusCell, textCell, timeCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import type { Client } from "../client.ts";
import { type Context, canAsk, confirm } from "../context.ts";
import { runtimePath } from "../find-run.ts";
import { printTable } from "../print.ts";
import { safeText } from "../safe-text.ts";
import type { RunFilter } from "./read-filter.ts";

export type BulkChange = {
  filter: RunFilter;
  /** What is done to each, to begin a question with. */
  verb: "Cancel" | "Replay";
  /** The statuses in which it can be done. */
  statuses: readonly RunStatus[];
  /** Those of them that are meant where the filter names none. */
  usual: readonly RunStatus[];
  /** Answers with the run that came of it. */
  change: (client: Client, run: RunRow) => Promise<{ run_id: string; status: RunStatus }>;
};

type Done = { run_id: string; result_run_id: string; status: RunStatus };
type Failed = { run_id: string; code: string; error: string };

const pageSize = 100;

/** How many runs are shown before one agrees. */
const shownRuns = 10;

/** How long a refusal (429, 503) is waited out before the rest is left as it is. */
const patienceMs = 60_000;

/**
 * Changes every run that a filter fits, one after the other: first says how many, and asks. One that can't be changed
 * keeps no other back. Where the daemon has had enough the rest is left, and the exit says so.
 */
export async function changeRuns(context: Context, bulk: BulkChange): Promise<void> {
  const { output } = context;
  const client = await context.runtime();
  const runs = await findRuns(client, bulk);
  if (runs.length === 0) {
    if (output.format === "json") output.document({ matched: 0, done: [], failed: [], left: 0 });
    return output.note("No run fits.");
  }
  await showMatches(context, runs);
  await confirm(context, `${bulk.verb} ${runs.length === 1 ? "1 run" : `${runs.length} runs`}?`);
  client.patienceMs = patienceMs;
  const { firstError, ...outcome } = await changeEach(context, client, bulk, runs);
  await printOutcome(context, outcome);
  if (firstError) throw explain(firstError, outcome, bulk);
}

async function changeEach(
  { output, signal }: Context,
  client: Client,
  bulk: BulkChange,
  runs: readonly RunRow[],
): Promise<Outcome & { firstError: CliError | null }> {
  const done: Done[] = [];
  const failed: Failed[] = [];
  let firstError: CliError | null = null;
  for (const [at, run] of runs.entries()) {
    if (signal.aborted) break;
    try {
      const changed = await bulk.change(client, run);
      done.push({ run_id: run.run_id, result_run_id: changed.run_id, status: changed.status });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      firstError ??= error;
      if (isOver(error)) break;
      failed.push({ run_id: run.run_id, code: String(error.toJSON()["code"]), error: error.message });
    }
    if ((at + 1) % 10 === 0 || at + 1 === runs.length) output.note(`${at + 1} of ${runs.length}`);
  }
  return { matched: runs.length, done, failed, left: runs.length - done.length - failed.length, firstError };
}

/** The first error, with how many runs did not change. */
function explain(error: CliError, { matched, failed, left }: Outcome, { verb }: BulkChange): CliError {
  const refused = failed.length > 0 ? `${failed.length} of ${matched} runs could not be changed. ` : "";
  const rest = left > 0 ? ` ${left} of ${matched} runs were left as they are.` : "";
  const hint = left > 0 ? `go on later with the same ${verb.toLowerCase()} --filter` : error.extra.hint;
  return new CliError(error.exit, `${refused}${error.message}${rest}`, { ...error.extra, hint });
}

/** Whether the next run would fare no better: the daemon is busy, gone, or refuses the key. */
function isOver({ exit }: CliError): boolean {
  return exit === "busy" || exit === "unreachable" || exit === "denied";
}

/** The newest first. What is created from now on does not belong to them. */
async function findRuns(client: Client, { filter, verb, statuses, usual }: BulkChange): Promise<RunRow[]> {
  const { status, ...rest } = filter;
  if (status !== undefined && !statuses.includes(status)) {
    throw new CliError(
      "usage",
      `--filter is for ${statuses.join(", ")}: runs that are ${status} can't be ${verb === "Cancel" ? "cancelled" : "replayed"}.`,
    );
  }
  const bounded = { ...rest, date_to: rest.date_to ?? new Date().toISOString() };
  const found = new Map<string, RunRow>();
  for (const wanted of status === undefined ? usual : [status]) {
    for (let offset = 0, total = 1; offset < total; offset += pageSize) {
      const query = { ...bounded, status: wanted, limit: pageSize, offset };
      const page = await client.get<RunList>(`${runtimePath}/runs`, query);
      for (const run of page.runs) found.set(run.run_id, run);
      total = page.total;
    }
  }
  return [...found.values()].toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}

/** What is about to be changed, for whoever is asked. */
async function showMatches(context: Context, runs: readonly RunRow[]): Promise<void> {
  const { output } = context;
  if (!canAsk(context) || output.format !== "table" || context.flags.yes) return;
  await printTable(
    output,
    ["RUN", "ACTION", "STATUS", "CREATED"],
    runs
      .slice(0, shownRuns)
      .map((run) => [
        textCell(run.run_id),
        textCell(run.action_slug, "bold"),
        statusCell(run.status, output.isUnicode),
        timeCell(run.created_at, output.now),
      ]),
  );
  if (runs.length > shownRuns) output.note(`and ${runs.length - shownRuns} more`);
}

type Outcome = { matched: number; done: Done[]; failed: Failed[]; left: number };

async function printOutcome({ output }: Context, outcome: Outcome): Promise<void> {
  const { done, failed } = outcome;
  if (output.format === "json") return output.document(outcome);
  if (output.format === "jsonl") return [...done, ...failed].forEach((row) => output.document(row));
  if (output.format === "ids") return output.print(...done.map((row) => safeText(row.result_run_id)));
  await printTable(
    output,
    [],
    [
      ...done.map((row) => [
        textCell(row.run_id),
        statusCell(row.status, output.isUnicode),
        ...(row.result_run_id === row.run_id ? [] : [textCell(row.result_run_id)]),
      ]),
      ...failed.map((row) => [textCell(row.run_id), textCell(row.code, "red"), textCell(row.error)]),
    ],
  );
}
