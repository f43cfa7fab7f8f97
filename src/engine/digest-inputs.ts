import { createHash } from "node:crypto";
import { canonicalText } from "../contract/canonical-text.ts";
import type { Json } from "../contract/json.ts";
import type { ApprovalRecord } from "../store/store.ts";
import { readInput, readOriginals } from "./execution/read-originals.ts";
import { GoneOriginalsError } from "./redaction/seal.ts";
import type { Services } from "./services.ts";

/**
 * The SHA-256 (hex) of what a request's step will really run with, also where people are shown it redacted: of its JSON
 * without white space, keys in order (`jq -cSj .inputs | sha256sum`). Null once the true values are gone.
 */
export async function digestInputs(
  services: Pick<Services, "store" | "sealer">,
  workspaceId: number,
  request: ApprovalRecord,
): Promise<string | null> {
  try {
    const inputs = request.redactedCount === 0 ? request.inputs : await readTrueInputs(services, workspaceId, request);
    return createHash("sha256").update(canonicalText(inputs)).digest("hex");
  } catch (error) {
    if (error instanceof GoneOriginalsError) return null;
    throw error;
  }
}

/** A step's inputs are in the event of its gate; before the whole run they are the run's. */
async function readTrueInputs(
  services: Pick<Services, "store" | "sealer">,
  workspaceId: number,
  { runId, stepId, iteration, inputs }: ApprovalRecord,
): Promise<Json> {
  const run = await services.store.findRun(workspaceId, runId);
  if (!run) return inputs;
  if (stepId === null) return readInput(services, run);
  for await (const event of readOriginals(services, run)) {
    const isGate = event.type === "step_pending_approval" && event.stepId === stepId;
    if (isGate && String(event.iteration) === String(iteration)) return event.inputData ?? null;
  }
  return inputs;
}
