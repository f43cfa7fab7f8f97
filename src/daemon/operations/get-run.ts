import { z } from "zod";
import { runDetail } from "../../contract/run.ts";
import { presentDetail } from "../../engine/present-run.ts";
import { defineOperation } from "../operation.ts";
import { holdRun, waitSeconds } from "./hold-run.ts";
import { readTimeline } from "./read-timeline.ts";
import { requireRun } from "./require-run.ts";
import { shownSteps } from "./shown-steps.ts";

const keptSteps = { all: Number.POSITIVE_INFINITY, none: 0 } as const;

export const getRun = defineOperation({
  name: "getRun",
  tool: "get_run_status",
  title: "Get a run",
  description:
    "Returns a run with its status, its output or error, and its last 1,000 steps (`steps`: all or none of them). " +
    "With `wait` the answer is held until the run ends or pauses, or a paused run moves on.",
  route: ["GET", "/runs/:run_id", 200],
  scope: "runs:read",
  input: z.object({
    run_id: z.string().describe("The run's id"),
    steps: z.enum(["all", "none"]).optional().describe("Which steps to show in place of the last 1,000"),
    wait: waitSeconds,
  }),
  output: runDetail,
  async handle(request, { run_id: runId, steps, wait }) {
    const { services, caller } = request;
    const run = await holdRun(request, await requireRun(services, caller.workspaceId, runId), wait);
    return presentDetail(run, await readTimeline(services, run, steps ? keptSteps[steps] : shownSteps));
  },
});
