import * as z from "zod";
import { ApiError } from "../../contract/errors.ts";
import { type RunStatus, isPaused, isTerminal } from "../../contract/run.ts";
import type { Services } from "../../engine/services.ts";
import type { RunRecord } from "../../store/store.ts";
import type { Hold, Request } from "../operation.ts";

function waitUpTo(most: number) {
  return z.int().min(0).max(most).default(0).describe("Seconds to hold the answer until the run ends or pauses");
}

/** The field `wait`: seconds for which an answer about a run may be held (contract 6). */
export const waitSeconds = waitUpTo(60);

/** The same as an argument of a tool: MCP clients give up after a minute. */
export const toolWaitSeconds = waitUpTo(55);

/**
 * Waits until a run is terminal or paused, or, where it is paused already, until its status or its request for approval
 * changes; at most `seconds`. Returns the run as it stands then. Throws when the caller's key is revoked meanwhile.
 */
export async function holdRun({ services, hold }: Request, run: RunRecord, seconds: number): Promise<RunRecord> {
  if (seconds === 0 || isTerminal(run.status)) return run;
  const held = hold("answer");
  try {
    return await awaitChange(services, run, seconds, held);
  } finally {
    held.release();
  }
}

/**
 * Starts a run and waits until it is terminal or paused, at most `seconds`; returns it as it stands then. The place among
 * the open answers is taken first: nothing is started for a caller who is then refused.
 */
export async function startHeld<Started extends { run: RunRecord }>(
  { services, hold }: Request,
  seconds: number,
  start: () => Promise<Started>,
): Promise<Started> {
  const held = hold("answer");
  try {
    const started = await start();
    const { run } = started;
    if (isTerminal(run.status) || isPaused(run.status)) return started;
    return { ...started, run: await awaitChange(services, run, seconds, held) };
  } finally {
    held.release();
  }
}

async function awaitChange(services: Services, run: RunRecord, seconds: number, held: Hold): Promise<RunRecord> {
  await changeOf(services, run, seconds * 1000, held.signal);
  if (held.signal.reason instanceof ApiError) throw held.signal.reason;
  return (await services.store.findRun(run.workspaceId, run.id)) ?? run;
}

async function changeOf(
  { store, world }: Services,
  run: RunRecord,
  patienceMs: number,
  signal: AbortSignal,
): Promise<void> {
  const isAwaited = isPaused(run.status)
    ? (status: RunStatus) => status !== run.status
    : (status: RunStatus) => isTerminal(status) || isPaused(status);
  const { promise, resolve } = Promise.withResolvers<void>();
  const request = run.status === "waiting_for_approval" ? await latestRequest(store, run) : null;
  const lookForAnother = async (): Promise<void> => {
    if ((await latestRequest(store, run)) !== request) resolve();
  };
  const stopWatching = store.watchRuns(run.id, (change) => {
    if (isAwaited(change.status)) resolve();
    // One request was withdrawn and the next one made in the same commit. A look that fails leaves the caller waiting.
    else if (request !== null) lookForAnother().catch(() => undefined);
  });
  const stopTimer = world.after(patienceMs, resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  try {
    // What changed between the caller's reading and the watching is seen here.
    const current = await store.findRun(run.workspaceId, run.id);
    if (request !== null) await lookForAnother();
    if (current && !isAwaited(current.status) && !signal.aborted) await promise;
  } finally {
    stopWatching();
    stopTimer();
  }
}

async function latestRequest(store: Services["store"], { id }: RunRecord): Promise<string | null> {
  const [latest] = await store.listRunApprovals(id);
  return latest ? `${latest.id} ${latest.status}` : null;
}
