import { ApiError } from "../contract/errors.ts";
import { isTerminal } from "../contract/run.ts";
import type { RunRecord } from "../store/store.ts";
import type { Services } from "./services.ts";

/** How often the end is tried again while the run goes from one executor to the next. */
const maxTries = 5;

/** Cancels a run that is not over, whatever it does at the moment (contract 6). Throws BAD_REQUEST for one that is. */
export async function cancelRun(services: Services, run: RunRecord): Promise<RunRecord> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const current = (await services.store.findRun(run.workspaceId, run.id)) ?? run;
    if (isTerminal(current.status)) {
      throw new ApiError("BAD_REQUEST", `The run ${run.id} is over: it is ${current.status}`);
    }
    if (await services.end(run, { status: "cancelled", error: null })) break;
  }
  const ended = await services.store.findRun(run.workspaceId, run.id);
  if (!ended || !isTerminal(ended.status)) throw new Error(`Run ${run.id} could not be cancelled`);
  return ended;
}
