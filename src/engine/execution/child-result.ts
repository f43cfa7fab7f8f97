import type { Json } from "../../contract/json.ts";
import { isTerminal } from "../../contract/run.ts";
import type { RunRecord } from "../../store/store.ts";
import type { StepError } from "../node.ts";
import type { FoldEvent, RunFold } from "../graph/fold.ts";
import type { StepState } from "../graph/scope-state.ts";
import { continuesOnFailure } from "./continues-on-failure.ts";
import { openPayloads } from "../redaction/seal-payload.ts";
import { GoneOriginalsError } from "../redaction/seal.ts";
import type { Services } from "../services.ts";

/** How the run that a step waits for ended; null while it is not over. */
export type ChildResult = { kind: "done"; output: Json } | { kind: "fail"; error: StepError };

/** The steps of a run whose child runs are over. */
export async function readEndedChildren(
  services: Pick<Services, "store" | "sealer">,
  workspaceId: number,
  fold: RunFold,
): Promise<{ step: StepState; runId: string; result: ChildResult }[]> {
  const waiting = fold
    .inProgress()
    .toArray()
    .flatMap((step) => (step.status === "waiting" && step.child !== null ? [{ step, runId: step.child }] : []));
  const results = waiting.map(async ({ step, runId }) => {
    const result = await readChildResult(services, workspaceId, runId);
    return result ? [{ step, runId, result }] : [];
  });
  return (await Promise.all(results)).flat();
}

/** What the journal says of a step whose child run is over. Its failure is not tried again: the child had its own tries. */
export function childEnd(step: StepState, result: ChildResult): Pick<FoldEvent, "type" | "outputData" | "error"> {
  if (result.kind === "done") return { type: "step_completed", outputData: result.output };
  const type = continuesOnFailure(step) ? "step_failed_continued" : "step_failed";
  return { type, error: { ...result.error, step_id: step.node.id } };
}

/** Reads what a child run gave, as it gave it, or why it gave nothing. Its failure is the step's, with its id. */
async function readChildResult(
  { store, sealer }: Pick<Services, "store" | "sealer">,
  workspaceId: number,
  runId: string,
): Promise<ChildResult | null> {
  const run = await store.findRun(workspaceId, runId);
  if (!run) return failed(runId, null, { code: "UNKNOWN", message: `The run ${runId} is not kept any more` });
  if (!isTerminal(run.status)) return null;
  if (run.status !== "succeeded") return failed(runId, run, run.error);
  if (!run.isResultRedacted) return { kind: "done", output: run.output };
  try {
    const sealed = await store.findSealed(runId, "result");
    return { kind: "done", output: openPayloads(sealer, runId, "result", sealed ?? undefined).output ?? null };
  } catch (error) {
    if (!(error instanceof GoneOriginalsError)) throw error;
    return failed(runId, run, { code: "UNKNOWN", message: error.message });
  }
}

function failed(runId: string, run: RunRecord | null, error: StepError | null): ChildResult {
  const { actionSlug: what, status } = run ?? { actionSlug: "an action", status: "deleted" };
  const words = { timed_out: "timed out", cancelled: "was cancelled" }[status as string] ?? status;
  const said = error === null ? "" : `: ${error.message}`;
  return {
    kind: "fail",
    error: {
      code: error?.code ?? "UNKNOWN",
      message: `The run ${runId} of ${what} ${words}${said}`,
      ...(error?.retryable !== undefined && { retryable: error.retryable }),
      details: { run_id: runId, status, ...(error?.details && { error_details: error.details }) },
    },
  };
}
