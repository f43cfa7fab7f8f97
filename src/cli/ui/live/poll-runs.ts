import type { Approval } from "../../../contract/approval.ts";
import type { WatchedRun } from "../../../contract/run-watch.ts";
import type { RunDetail, RunList, RunRow } from "../../../contract/run.ts";
import { CliError, reasonOf } from "../../cli-error.ts";
import type { Client } from "../../client.ts";
import { runPath, runtimePath } from "../../find-run.ts";
import type { Connection } from "../model/model.ts";
import { retryMs } from "./backoff.ts";
import type { WatchParts } from "./watch-runs.ts";

/** Over HTTP there is no stream of all runs; a key of the free tier has 60 requests a minute (cli.md). */
const everyMs = 2000;

const pageSize = 100;

/** Keeps the list of runs by asking again and again, for a daemon that is reached with a key. Ends with `signal`. */
export async function pollRuns(parts: WatchParts): Promise<void> {
  const { client, tell, signal, waiting } = parts;
  let isFirst = true;
  for (let failures = 0; !signal.aborted;) {
    try {
      const { runs, total } = await client.get<RunList>(`${runtimePath}/runs`, { limit: pageSize });
      const rows = runs.map(asWatched);
      if (isFirst || failures > 0) tell({ type: "connection", connection: { kind: "live" } });
      tell(isFirst ? { type: "runs", runs: rows, total, isMore: false } : { type: "changed", runs: rows });
      isFirst = false;
      failures = 0;
      await waiting.wait(everyMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const ms = waitAfter(error, failures, parts.random());
      tell({ type: "connection", connection: describeFailure(error, failures, ms, parts.now()) });
      await waiting.wait(ms, signal);
    }
  }
}

function waitAfter(error: unknown, failures: number, random: number): number {
  const seconds = error instanceof CliError ? error.extra.retryAfterSeconds : undefined;
  return seconds === undefined ? retryMs(failures, random) : seconds * 1000;
}

function describeFailure(error: unknown, attempt: number, ms: number, now: number): Connection {
  const status = error instanceof CliError ? error.extra.httpStatus : undefined;
  if (status === 401 || status === 403) return { kind: "refused", code: status, message: reasonOf(error) };
  if (status === 429) return { kind: "limited", until: now + ms };
  return { kind: "lost", since: now, reason: reasonOf(error), attempt, retryAt: now + ms, change: null };
}

/** A row of the runtime API, which does not tell of steps. */
export function asWatched(row: RunRow): WatchedRun {
  return {
    ...row,
    version: 0,
    dry_run: row.source === "dry_run",
    started_at: null,
    error_code: null,
    steps_done: null,
    steps_total: 0,
    resume_at: null,
    approval_expires_at: null,
  };
}

/** Requests that wait, read out of the runs that wait for them. */
export async function readApprovals(client: Client): Promise<Approval[]> {
  const { runs } = await client.get<RunList>(`${runtimePath}/runs`, { needs_approval: "true", limit: 20 });
  const details = await Promise.all(runs.map(({ run_id }) => client.get<RunDetail>(`${runPath(run_id)}?steps=none`)));
  return details.flatMap(({ approval }) => (approval?.status === "pending" ? [approval] : []));
}
