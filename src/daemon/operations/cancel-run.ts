import * as z from "zod";
import { runDetail } from "../../contract/run.ts";
import { cancelRun as cancel } from "../../engine/cancel-run.ts";
import { defineOperation } from "../operation.ts";
import { readDetail } from "./read-detail.ts";
import { requireRun } from "./require-run.ts";

export const cancelRun = defineOperation({
  name: "cancelRun",
  tool: {
    name: "cancel_run",
    description:
      "Ends a run that is not over yet: steps in progress are aborted, what they did already stays done, and a request " +
      "for approval is closed. Use it when the run is no longer wanted or was started by mistake. run_action and list_runs " +
      "give the run_id.",
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  },
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
