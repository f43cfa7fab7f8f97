import * as z from "zod";
import { runDetail } from "../../contract/run.ts";
import { defineOperation } from "../operation.ts";
import { readsOnly, toolArguments } from "../tool-spec.ts";
import { holdRun, toolWaitSeconds, waitSeconds } from "./hold-run.ts";
import { readDetail } from "./read-detail.ts";
import { requireRun } from "./require-run.ts";

const keptSteps = { all: Number.POSITIVE_INFINITY, none: 0 } as const;

const fields = z.object({
  run_id: z.string().meta({ description: "The run's id", format: "uuid" }),
  steps: z.enum(["all", "none"]).optional().describe("Which steps to show in place of the last 1,000"),
  wait: waitSeconds,
});

const toolSchema = fields.omit({ wait: true }).extend({
  steps: z.enum(["summary", "all", "none"]).default("summary").describe("summary: the last 1,000 steps"),
  wait_seconds: toolWaitSeconds,
});

export const getRun = defineOperation({
  name: "getRun",
  tool: {
    name: "get_run_status",
    description:
      "Returns a run with its status, its output or error and its steps. Use it to follow a run: succeeded, failed, " +
      "cancelled and timed_out are final; waiting_for_approval waits for a person, waiting for a point in time. " +
      "`wait_seconds` holds the answer until the run ends or pauses, which is better than asking again and again. " +
      "run_action and list_runs give the run_id.",
    hints: readsOnly,
    arguments: toolArguments(toolSchema, ({ steps, wait_seconds: wait, ...rest }) => ({
      ...rest,
      wait,
      ...(steps !== "summary" && { steps }),
    })),
  },
  title: "Get a run",
  description:
    "Returns a run with its status, its output or error, and its last 1,000 steps (`steps`: all or none of them). " +
    "With `wait` the answer is held until the run ends or pauses, or a paused run moves on.",
  route: ["GET", "/runs/:run_id", 200],
  scope: "runs:read",
  input: fields,
  output: runDetail,
  async handle(request, { run_id: runId, steps, wait }) {
    const { services, caller } = request;
    const run = await holdRun(request, await requireRun(services, caller.workspaceId, runId), wait);
    return readDetail(services, run, steps && keptSteps[steps]);
  },
});
