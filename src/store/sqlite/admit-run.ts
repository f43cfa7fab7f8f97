import type { Database } from "better-sqlite3";
import type { CreateRunResult, NewRun } from "../store.ts";
import { isTerminalCode, statusCodes } from "./codes.ts";
import { prepareMonthlyRuns } from "./monthly-runs.ts";
import type { RunCounts } from "./run-counts.ts";
import { prepareRunRepeats } from "./run-repeats.ts";

/** Why no run is created. */
export type RunRefusal = Exclude<CreateRunResult, { kind: "created" }>;

type Wanted = Omit<NewRun, "input" | "error" | "request" | "replay">;

export type RunAdmission = {
  /**
   * Whether a run may be created: its request was not served before, and its user's hour, its workspace's month and the
   * queue have room. `userSeq` numbers the runs of a user that count; null: it does not count.
   */
  check: (run: Wanted) => RunRefusal | { kind: "admitted"; userSeq: number | null };
  /** Counts a run that was inserted under this id. */
  count: (run: Wanted, insideId: number, userSeq: number | null) => void;
};

const hourMs = 3_600_000;

export function prepareRunAdmission(db: Database, counts: RunCounts): RunAdmission {
  const findHour = prepareUserHour(db);
  const monthly = prepareMonthlyRuns(db);
  const repeats = prepareRunRepeats(db);

  function isMonthFull({ workspaceId, monthlyQuota, createdAt }: Wanted): boolean {
    return typeof monthlyQuota === "number" && monthly.count(workspaceId, createdAt) >= monthlyQuota;
  }

  function checkCounted(run: Wanted): RunRefusal | { kind: "admitted"; userSeq: number | null } {
    if (!countsForCap(run)) return { kind: "admitted", userSeq: null };
    const { lastSeq, blocker } = findHour(run);
    if (blocker) return { kind: "hourly_cap", oldestAt: blocker.createdAt };
    return isMonthFull(run) ? { kind: "monthly_quota" } : { kind: "admitted", userSeq: lastSeq + 1 };
  }

  return {
    check(run) {
      const repeat = run.idempotency && repeats.find(run.idempotency, run.createdAt);
      if (repeat) return repeat;
      const checked = checkCounted(run);
      if (checked.kind !== "admitted" || run.maxQueued === null) return checked;
      const queued = counts.countAccepted();
      return queued >= run.maxQueued ? { kind: "overloaded", queued } : checked;
    },
    count(run, insideId, userSeq) {
      if (userSeq !== null) monthly.add(run.workspaceId, run.createdAt);
      if (run.idempotency) repeats.note(run.idempotency, insideId, run.createdAt);
    },
  };
}

/** Finds the number of a user's last run, and the one that has to leave the hour before another may come. */
function prepareUserHour(db: Database): (run: Wanted) => { lastSeq: number; blocker: { createdAt: number } | null } {
  const lastOfUser = db.prepare<[string], { seq: number | null }>(
    "SELECT MAX(user_seq) AS seq FROM runs WHERE user_id = +? AND user_seq IS NOT NULL",
  );
  const nthOfUser = db.prepare<[string, number], { createdAt: number }>(
    `SELECT created_at AS createdAt FROM runs WHERE user_id = +? AND user_seq IS NOT NULL AND user_seq <= +?
     ORDER BY user_seq DESC LIMIT 1`,
  );
  return ({ userId, hourlyCap, createdAt }) => {
    const lastSeq = lastOfUser.get(userId)?.seq ?? 0;
    const oldest = hourlyCap === null ? undefined : nthOfUser.get(userId, lastSeq - hourlyCap + 1);
    // One that is an hour ahead is of a clock that was set back since: nobody has to wait for its time to come again.
    const isInHour = oldest && Math.abs(oldest.createdAt - createdAt) < hourMs;
    return { lastSeq, blocker: isInHour ? oldest : null };
  };
}

/** A run that is born finished executed nothing: a dry run, or a trigger's run over the cap (contract 12). */
function countsForCap(run: Wanted): boolean {
  return !run.dryRun && run.source !== "dry_run" && !isTerminalCode(statusCodes.encode(run.status));
}
