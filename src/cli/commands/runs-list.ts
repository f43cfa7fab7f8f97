import type { RunList } from "../../contract/run.ts";
import { runSources, runStatuses } from "../../contract/run-words.ts";
import { durationCell, statusCell, textCell, timeCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { runtimePath } from "../find-run.ts";
import { flag, oneOf, value, wholeNumber } from "../option.ts";
import { parseMoment } from "../parse-duration.ts";
import { printListing } from "../print.ts";

export const runsList = defineCommand({
  name: "list",
  summary: "list runs, the newest first",
  options: {
    status: value(
      "STATUS",
      "accepted, running, waiting, waiting_for_approval, succeeded, failed, cancelled or timed_out",
      { parse: oneOf(...runStatuses) },
    ),
    action: value("SLUG", "runs of this action"),
    source: value("SOURCE", "action, webhook, schedule, manual, replay, test or dry_run", {
      parse: oneOf(...runSources),
    }),
    needsApproval: flag("runs that wait for an approval"),
    hasIncident: value("BOOLEAN", "runs linked to an incident (true) or not (false)", {
      parse: oneOf("true", "false"),
    }),
    since: value("WHEN", "created then or later: 1h, a date or a date-time", { parse: readBound }),
    until: value("WHEN", "created then or earlier", { parse: readBound }),
    limit: value("N", "how many (20)", { parse: wholeNumber(1, 100) }),
    offset: value("N", "how many to leave out first (0)", { parse: wholeNumber(0) }),
  },
  examples: ["runs list", "runs list --status failed --since 1h", "runs list --needs-approval --json"],
  async action({ runtime, output }, filter) {
    const client = await runtime();
    const list = await client.get<RunList>(`${runtimePath}/runs`, {
      status: filter.status,
      action_slug: filter.action,
      source: filter.source,
      needs_approval: filter.needsApproval ? "true" : undefined,
      has_incident: filter.hasIncident,
      date_from: filter.since,
      date_to: filter.until,
      limit: filter.limit,
      offset: filter.offset,
    });
    await printListing(output, {
      json: list,
      rows: list.runs,
      id: (run) => run.run_id,
      columns: ["RUN", "ACTION", "STATUS", "SOURCE", "TIME", "CREATED"],
      cells: (run) => [
        textCell(run.run_id),
        textCell(run.action_slug, "bold"),
        statusCell(run.status, output.isUnicode),
        textCell(run.source),
        durationCell(run.duration_ms),
        timeCell(run.created_at, output.now),
      ],
      empty: "No runs.",
    });
    const last = list.offset + list.runs.length;
    if (last < list.total) output.note(`${list.offset + 1} to ${last} of ${list.total}; go on with --offset ${last}`);
  },
});

/** A date alone is given on as it is: to the daemon it means the whole day (contract 6). */
function readBound(text: string): string {
  const at = parseMoment(text, new Date(), "ago").toISOString();
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : at;
}
