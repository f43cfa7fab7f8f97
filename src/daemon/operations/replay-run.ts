import * as z from "zod";
import { replayPlan, replayRequest } from "../../contract/replay.ts";
import { runDetail } from "../../contract/run.ts";
import { type ReplayRun, previewReplay, replayRun as startReplay } from "../../engine/replay-run.ts";
import { type Request, defineOperation } from "../operation.ts";
import { drivesRuns } from "../tool-spec.ts";
import { readDetail } from "./read-detail.ts";
import { requireRun } from "./require-run.ts";
import { shownSteps } from "./shown-steps.ts";

const fields = replayRequest.extend({ run_id: z.string().meta({ description: "The run's id", format: "uuid" }) });

export const replayRun = defineOperation({
  name: "replayRun",
  tool: {
    name: "replay_run",
    description:
      "Starts a new run from one that is over, after its cause was fixed: what ended well is taken over, the rest runs " +
      "(again). This is no rehearsal: steps that run again act on other systems again. `input` runs everything again with " +
      "another input. list_runs with status failed finds runs to replay; get_run_status shows what went wrong.",
    hints: drivesRuns,
  },
  title: "Replay a run",
  description:
    "Starts a new run of the same version from a run that is over. Steps that ended well are taken over, their events " +
    "marked `copied`; `from` says where to begin, `input` runs everything again. An action's policy asks for approval again.",
  route: ["POST", "/runs/:run_id/replay", 202],
  scope: "runs:read",
  input: fields,
  output: runDetail,
  async handle(request, input) {
    const { services } = request;
    const run = await startReplay(services, await readRequest(request, input));
    return readDetail(services, run, shownSteps);
  },
});

export const previewRunReplay = defineOperation({
  name: "previewReplay",
  tool: null,
  title: "Preview a replay",
  description:
    "Tells what a replay with the same body would do, and changes nothing: which steps are taken over, which run again, " +
    "which of them act on other systems a second time, and why it would be refused.",
  route: ["POST", "/runs/:run_id/replay/preview", 200],
  scope: "runs:read",
  input: fields,
  output: replayPlan,
  handle: async (request, input) => previewReplay(request.services, await readRequest(request, input)),
});

async function readRequest({ services, caller }: Request, input: z.output<typeof fields>): Promise<ReplayRun> {
  return {
    run: await requireRun(services, caller.workspaceId, input.run_id),
    input: input.input ?? null,
    from: input.from ?? null,
    userId: caller.userId,
    via: caller.keyId === null ? "cli" : "api",
  };
}
