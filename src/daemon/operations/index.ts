import type { Operation } from "../operation.ts";
import { approveRun } from "./approve-run.ts";
import { cancelRun } from "./cancel-run.ts";
import { diffRuns } from "./diff-runs.ts";
import { getAction } from "./get-action.ts";
import { getRunEvents } from "./get-run-events.ts";
import { getRun } from "./get-run.ts";
import { listActions } from "./list-actions.ts";
import { listRuns } from "./list-runs.ts";
import { previewRunReplay, replayRun } from "./replay-run.ts";
import { runAction } from "./run-action.ts";

/** Everything that callers can ask for; each transport serves this table. */
export const operations: readonly Operation[] = [listActions, getAction, runAction, listRuns, getRun, getRunEvents, approveRun, cancelRun, replayRun, previewRunReplay, diffRuns];
