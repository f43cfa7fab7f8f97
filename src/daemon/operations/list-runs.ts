import * as z from "zod";
import { type RunSource, type RunStatus, runList, runSources, runStatus } from "../../contract/run.ts";
import { presentRow } from "../../engine/presentation/present-run.ts";
import { defineOperation } from "../operation.ts";
import { readsOnly } from "../tool-spec.ts";
import { dateBound } from "./date-bound.ts";

const filters = z.object({
  needs_approval: z.boolean().optional().describe("true: only runs that wait for an approval"),
  action_slug: z.string().optional(),
  status: runStatus.optional(),
  source: z
    .enum([...runSources, "scheduler"])
    .optional()
    .describe("scheduler means schedule"),
  has_incident: z.boolean().optional().describe("Only runs that belong to an incident, or only those that do not"),
  date_from: dateBound.optional().describe("Earliest creation, inclusive; a date alone is a day in UTC"),
  date_to: dateBound.optional().describe("Latest creation, inclusive"),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
});
type Filters = z.output<typeof filters>;

export const listRuns = defineOperation({
  name: "listRuns",
  tool: {
    name: "list_runs",
    description:
      "Lists runs, newest first, without their input and output. Use it to find a run whose run_id is not known: by " +
      "action, status, source or time, or with needs_approval those that wait for a person. get_run_status shows one whole.",
    hints: readsOnly,
  },
  title: "List runs",
  description: "Lists the workspace's runs, newest first. `total` counts all that match, not only this page.",
  route: ["GET", "/runs", 200],
  scope: "runs:read",
  input: filters,
  output: runList,
  async handle({ services, caller }, query) {
    const { limit, offset } = query;
    const statuses = wantedStatuses(query);
    if (statuses?.length === 0) return { runs: [], total: 0, limit, offset };
    const { runs, total } = await services.store.listRuns({
      workspaceId: caller.workspaceId,
      limit,
      offset,
      ...(statuses && { statuses }),
      ...(query.source && { source: sourceOf(query.source) }),
      ...(query.action_slug !== undefined && { actionSlug: query.action_slug }),
      ...(query.has_incident !== undefined && { hasIncident: query.has_incident }),
      ...(query.date_from !== undefined && { createdFrom: query.date_from.from }),
      ...(query.date_to !== undefined && { createdTo: query.date_to.to }),
    });
    return { runs: runs.map(presentRow), total, limit, offset };
  },
});

/** Statuses that every given filter allows; null for any, an empty list for none. */
function wantedStatuses({ status, needs_approval: needsApproval }: Filters): RunStatus[] | null {
  if (!needsApproval) return status ? [status] : null;
  return status === undefined || status === "waiting_for_approval" ? ["waiting_for_approval"] : [];
}

function sourceOf(source: NonNullable<Filters["source"]>): RunSource {
  return source === "scheduler" ? "schedule" : source;
}
