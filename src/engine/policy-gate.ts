import type { ActionRecord, NewRun } from "../store/store.ts";
import { newApproval } from "./execution/run-gates.ts";
import type { Services } from "./services.ts";

/** A new run as its action's policy has it begin: under `always` nothing of it runs before somebody agrees (contract 7). */
export function gateRun(
  { world, limits, values }: Services,
  run: NewRun,
  { approvalPolicy }: Pick<ActionRecord, "approvalPolicy">,
): NewRun {
  if (run.dryRun || approvalPolicy !== "always") return run;
  const gate = { stepId: null, iteration: null, inputs: run.input, description: null };
  return {
    ...run,
    status: "waiting_for_approval",
    request: newApproval(gate, world, limits.approvalExpirySeconds, values.known(run.workspaceId)),
  };
}
