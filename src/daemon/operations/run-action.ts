import * as z from "zod";
import { jsonObject } from "../../contract/json.ts";
import { run as runSchema } from "../../contract/run.ts";
import { presentRun } from "../../engine/presentation/present-run.ts";
import { startRun } from "../../engine/start-run.ts";
import { defineOperation } from "../operation.ts";
import { drivesRuns, toolArguments } from "../tool-spec.ts";
import { startHeld, toolWaitSeconds, waitSeconds } from "./hold-run.ts";
import { readApproval } from "./read-detail.ts";
import { readTimeline } from "./read-timeline.ts";
import { shownSteps } from "./shown-steps.ts";

const fields = z.object({
  slug: z.string().describe("The action's slug"),
  // Anything but an object counts as an empty one (spec 4).
  input: jsonObject.catch(() => ({})).describe("Input that matches the action's inputSchema"),
  dry_run: z.boolean().default(false).describe("Only check the input; nothing is executed"),
  idempotency_key: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters")
    .optional()
    .describe("Repeating a request with its key within 24 hours returns the run that it started"),
  wait: waitSeconds,
});

export const runAction = defineOperation({
  name: "runAction",
  tool: {
    name: "run_action",
    description:
      "Starts a run of an action and returns the run with its run_id. This is no rehearsal: the run's steps act on other " +
      "systems; with `dry_run` the input is only checked. The run goes on after the answer: `wait_seconds` holds the " +
      "answer until it ends or pauses, get_run_status follows it. A run that is waiting_for_approval goes on when a person " +
      "agrees; do not start it again. list_actions gives the slug, get_action the input's schema.",
    hints: drivesRuns,
    arguments: toolArguments(
      fields.omit({ wait: true }).extend({ wait_seconds: toolWaitSeconds }),
      ({ wait_seconds: wait, ...rest }) => ({ ...rest, wait }),
    ),
  },
  title: "Run an action",
  description:
    "Starts a run of an action and returns it at once, accepted; poll the run for its status and output. " +
    "With `wait` the answer is held until the run ends or pauses. `dry_run` checks the input and executes nothing. " +
    "With the header `Idempotency-Key`, repeating the request within 24 hours starts nothing: it answers the first run " +
    "as it stands, with the header `idempotent-replayed: true`; another request under the key is IDEMPOTENCY_CONFLICT.",
  route: ["POST", "/actions/:slug/run", 202],
  query: ["wait"],
  headers: { idempotency_key: "idempotency-key" },
  scope: "actions:run",
  input: fields,
  output: runSchema,
  async handle(request, { slug, input, dry_run: dryRun, wait, idempotency_key: idempotencyKey = null }) {
    const { services, caller } = request;
    const { workspaceId, userId } = caller;
    const start = async () => startRun(services, { workspaceId, slug, userId, input, dryRun, idempotencyKey });
    const { run, isRepeat } = await (wait === 0 ? start() : startHeld(request, wait, start));
    if (isRepeat) request.addHeader?.("idempotent-replayed", "true");
    else if (wait === 0) {
      // A run that was accepted just now has no request; the read would be the only one of a start.
      return presentRun(run, run.status === "accepted" ? null : await readApproval(services, run));
    }
    const timeline = await readTimeline(services, run, shownSteps);
    return { ...presentRun(run, await readApproval(services, run)), steps: timeline.steps() };
  },
});
