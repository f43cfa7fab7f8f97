import { z } from "zod";
import { runDetail } from "../../contract/run.ts";
import { cancelRun as cancel } from "../../engine/cancel-run.ts";
import { defineOperation } from "../operation.ts";
import { readDetail } from "./read-detail.ts";
import { requireRun } from "./require-run.ts";

export const cancelRun = defineOperation({
  name: "cancelRun",
  tool: null,
  title: "Cancel a run",
  description:
    "Ends a run that is not over: running steps are aborted, waits and a pending request for approval are closed.",
  route: ["POST", "/runs/:run_id/cancel", 200],
  scope: "actions:run",
  input: z.object({ run_id: z.string().meta({ description: "The run's id", format: "uuid" }) }),
  output: runDetail,
  async handle({ services, caller }, { run_id: runId }) {
    const run = await requireRun(services, caller.workspaceId, runId);
    return readDetail(services, await cancel(services, run));
  },
});
