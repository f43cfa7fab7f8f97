import type { WatchedRun } from "../../contract/run-watch.ts";
import { presentRow } from "../../engine/presentation/present-run.ts";
import { isoTime } from "../../engine/presentation/present-time.ts";
import type { Services } from "../../engine/services.ts";
import type { RunFacts } from "../../store/store.ts";

/** Reads runs as the terminal UI shows them, in the order of their ids; those that are gone are left out. */
export async function readWatched(
  { store, versions }: Pick<Services, "store" | "versions">,
  workspaceId: number,
  runIds: readonly string[],
): Promise<WatchedRun[]> {
  const found = await store.describeRuns(workspaceId, runIds);
  return Promise.all(
    found.map(async (run) => {
      // A version that no longer compiles must not take the whole list along.
      const total = await versions.load(run.versionId).then(
        ({ graph }) => (graph.scopes[0]?.nodes ?? []).filter(({ type }) => !isEntry(type.type)).length,
        () => 0,
      );
      return presentWatched(run, total);
    }),
  );
}

/** Where a run comes in is no step: the journal does not know it. */
function isEntry(type: string): boolean {
  return type === "action_input" || type === "trigger";
}

function presentWatched(run: RunFacts, stepsTotal: number): WatchedRun {
  return {
    ...presentRow(run),
    version: run.version,
    dry_run: run.dryRun,
    started_at: isoTime(run.startedAt),
    error_code: run.errorCode,
    steps_done: run.endedSteps,
    steps_total: stepsTotal,
    resume_at: isoTime(run.resumeAt),
    approval_expires_at: isoTime(run.approvalExpiresAt),
  };
}
