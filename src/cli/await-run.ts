import type { JournalEvent } from "../contract/journal.ts";
import type { Run, RunDetail, RunStatus } from "../contract/run.ts";
import type { Client } from "./client.ts";
import { followRun, isEnded } from "./event-stream.ts";
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
  const mayStop = (now: RunStatus) => stopsAtApproval && now === "waiting_for_approval";

  let last: RunStatus = status;
  const limit = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
  for await (const change of isEnded(status) || mayStop(status) ? [] : followRun(client, run_id, limit)) {
    if (change.kind === "event") {
      onEvent(change.event);
      continue;
    }
    // A stream begins with the status as it is, which is known already.
    if (change.status !== last) onStatus(change.status);
    last = change.status;
    if (isEnded(change.status)) break;
    if (!mayStop(change.status)) continue;
    // Somebody may have decided since: the run itself knows, and then it goes on.
    const run = await readRun();
    if (mayStop(run.status)) return { run, exit: "runNeedsApproval" };
  }
  const run = await readRun();
  return { run, exit: exitOfEndedRun[run.status] ?? (mayStop(run.status) ? "runNeedsApproval" : "waitTimedOut") };
}
