import type { RunStatus } from "../../contract/run.ts";
import type { RunRecord } from "../../store/store.ts";
import type { RunEnd } from "../graph/fold.ts";
import type { Services } from "../services.ts";
import type { RunMove } from "./run-journal.ts";

export type EndParts = Pick<Services, "limits" | "world"> & {
  run: RunRecord;
  /** The action that the workflow names for its failures. */
  onFailure: string | null;
};

/** How the last commit leaves a run whose graph has come to its end. */
export function finalMove(end: RunEnd, parts: EndParts): RunMove {
  const { run, limits, world } = parts;
  const isCounted = run.source !== "test" && !run.dryRun;
  const health = isCounted && { health: { incidentId: world.newId(), pauseAfter: limits.autoPauseAfter } };
  if (end.status === "succeeded") return { status: "succeeded", output: end.output, error: null, ...health };
  return { status: end.status, error: end.error, ...health, ...followUp(end.status, parts) };
}

/**
 * The action that a failure starts is started by a moment, so that no crash forgets it. One that is started by failures
 * does not start itself.
 */
export function followUp(
  status: RunStatus,
  { run, onFailure, world }: Pick<EndParts, "run" | "onFailure" | "world">,
): Pick<RunMove, "followUp"> {
  if (onFailure === null || onFailure === run.actionSlug) return {};
  if (status !== "failed" && status !== "timed_out") return {};
  return { followUp: [{ kind: "on_failure", owner: onFailure, at: world.now().getTime() }] };
}
