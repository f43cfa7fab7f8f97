import type { StepLine } from "../engine/execution/execute-step.ts";
import type { RunPlace } from "../engine/execution/execute-run.ts";
import { redactLogText } from "../engine/redaction/redact.ts";
import type { WorkspaceValues } from "../engine/workspace-values.ts";
import type { World } from "../engine/world.ts";
import type { Store } from "../store/store.ts";
import type { Log } from "./log.ts";

/** Bytes of console output that are kept of one run. */
const maxRunBytes = 1024 * 1024;

/**
 * Keeps what steps write to their console, redacted, with their run (contract 16). The store writes in the order in which
 * it is asked, so that a run's lines are there when its end is.
 */
export function createRunLog(
  store: Store,
  { now }: Pick<World, "now">,
  log: Log,
  values: Pick<WorkspaceValues, "known">,
): (run: RunPlace, line: StepLine) => void {
  return ({ id: runId, workspaceId }, { text, ...at }) => {
    const line = { ...at, text: redactLogText(text, values.known(workspaceId)), createdAt: now().getTime() };
    log.debug({ runId, stepId: at.stepId }, line.text);
    store.appendRunLog({ runId, line, maxBytes: maxRunBytes }).catch((err: unknown) => {
      log.error({ err, runId }, "A line of a run's console could not be kept");
    });
  };
}
