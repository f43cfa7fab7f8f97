import type { JournalEvent } from "../contract/journal.ts";
import type { Run, RunDetail, RunStatus } from "../contract/run.ts";
import type { Client } from "./client.ts";
import { followRun, isEnded, type RunChange } from "./event-stream.ts";
import { exitOfEndedRun, type ExitName } from "./exit-codes.ts";
import { runPath } from "./find-run.ts";

type Settings = {
  /** Whether a pending approval ends the waiting. */
  stopsAtApproval: boolean;
  /** Milliseconds; absent: as long as it takes. */
  timeoutMs: number | undefined;
  onEvent: (event: JournalEvent) => void;
  onStatus: (status: RunStatus) => void;
};

/** Waits until a run has ended, needs an approval, or the time is up; gives it as it stands then, and the exit. */
export async function awaitRun(
  client: Client,
  { run_id, status }: Pick<Run, "run_id" | "status">,
  { stopsAtApproval, timeoutMs, onEvent, onStatus }: Settings,
): Promise<{ run: RunDetail; exit: ExitName }> {
  const readRun = async () => client.get<RunDetail>(runPath(run_id));
  const isSettled = (now: RunStatus) => isEnded(now) || (stopsAtApproval && now === "waiting_for_approval");
  const settles = async (change: RunChange) => {
    if (change.kind === "status") return isSettled(change.status);
    // A gate in the journal may have been decided since: the run itself knows.
    return stopsAtApproval && change.event.type === "step_pending_approval" && isSettled((await readRun()).status);
  };

  const limit = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
  for await (const change of isSettled(status) ? [] : followRun(client, run_id, limit)) {
    if (change.kind === "event") onEvent(change.event);
    else onStatus(change.status);
    if (await settles(change)) break;
  }
  const run = await readRun();
  return { run, exit: exitOfEndedRun[run.status] ?? (isSettled(run.status) ? "runNeedsApproval" : "waitTimedOut") };
}
