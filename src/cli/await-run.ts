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
  onEvent?(event: JournalEvent): void;
  onStatus?(status: RunStatus): void;
};

/** Waits until a run has ended, needs an approval, or the time is up; gives it as it stands then, and the exit. */
export async function awaitRun(
  client: Client,
  { run_id, status }: Pick<Run, "run_id" | "status">,
  settings: Settings,
): Promise<{ run: RunDetail; exit: ExitName }> {
  const { stopsAtApproval, timeoutMs } = settings;
  const read = async () => client.get<RunDetail>(runPath(run_id));
  const isSettled = (now: RunStatus) => isEnded(now) || (stopsAtApproval && now === "waiting_for_approval");
  const signal = timeoutMs === undefined ? new AbortController().signal : AbortSignal.timeout(timeoutMs);

  if (!isSettled(status)) {
    for await (const change of followRun(client, run_id, { signal })) {
      if (change.kind === "event") settings.onEvent?.(change.event);
      else settings.onStatus?.(change.status);
      // A gate in the journal may have been decided since: the run itself knows.
      const isGate = change.kind === "event" && change.event.type === "step_pending_approval" && stopsAtApproval;
      const now = change.kind === "status" ? change.status : isGate ? (await read()).status : null;
      if (now !== null && isSettled(now)) break;
    }
  }
  const run = await read();
  return { run, exit: exitOfEndedRun[run.status] ?? (isSettled(run.status) ? "runNeedsApproval" : "waitTimedOut") };
}
