import { isTerminal } from "../../contract/run.ts";
import { type HttpAnswer, respondTimeoutMs } from "../../contract/webhook.ts";
import type { RunRecord } from "../../store/store.ts";
import { GoneOriginalsError } from "../redaction/seal.ts";
import type { Services } from "../services.ts";
import { findRecordedAnswer } from "./recorded-answer.ts";

/** What the generic answer says: the run is durable. */
export function acceptedAnswer(run: RunRecord): HttpAnswer {
  return jsonAnswer(202, { accepted: true, run_id: run.id });
}

/** A JSON body, as every answer but a workflow's own has. */
export function jsonAnswer(status: number, body: object): HttpAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/**
 * What the caller of a webhook in respond-node mode gets (contract 11): the answer of the run's Respond to Webhook node,
 * else 500 when the run ends without one or fails, 504 after 30 s, and 503 when `signal` ends the wait before. A
 * repeated request gets what the first got, also when that was long ago.
 */
export async function awaitAnswer(
  services: Services,
  run: RunRecord,
  { isRepeat, signal }: { isRepeat: boolean; signal: AbortSignal },
): Promise<HttpAnswer> {
  const pending = services.responses.find(run.id);
  using wait = startWait(services, run, isRepeat, signal);
  const known = isRepeat && !pending ? await recordedAnswer(services, run) : null;
  if (known) return known;
  const first = await Promise.race([...(pending ? [pending.answer] : []), wait.over, wait.cut]);
  if (first !== "over") return finish(services, run, first);
  // A node that has answered did so in a commit at or before the run's end.
  if (pending?.isClaimed()) return finish(services, run, await Promise.race([pending.answer, wait.cut]));
  if (!isRepeat) services.responses.close(run.id);
  return describeEnd(services, run, isRepeat);
}

function finish({ responses }: Services, run: RunRecord, result: HttpAnswer | "late" | "stopping"): HttpAnswer {
  if (result === "late") {
    const error = `The workflow did not respond within ${respondTimeoutMs / 1000} s; its run goes on`;
    return jsonAnswer(504, { error, code: "TIMEOUT", run_id: run.id });
  }
  if (result === "stopping") {
    return jsonAnswer(503, { error: "The daemon is stopping", code: "OVERLOADED", run_id: run.id });
  }
  responses.close(run.id);
  return result;
}

/** Watches for the run's end, the time and the signal at once. */
function startWait({ store, world }: Services, run: RunRecord, isRepeat: boolean, signal: AbortSignal) {
  const over = Promise.withResolvers<"over">();
  const cut = Promise.withResolvers<"late" | "stopping">();
  const unwatch = store.watchRuns(run.id, ({ status }) => isTerminal(status) && over.resolve("over"));
  const cancel = world.after(respondTimeoutMs, () => cut.resolve("late"));
  const stop = (): void => cut.resolve("stopping");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const tellIfOver = (now: RunRecord | null): void => void ((!now || isTerminal(now.status)) && over.resolve("over"));
  // One that was started now can't have ended since, for that takes a commit; an earlier one may have.
  if (isRepeat) store.findRun(run.workspaceId, run.id).then(tellIfOver, () => undefined);
  else tellIfOver(run);
  return {
    over: over.promise,
    cut: cut.promise,
    [Symbol.dispose]() {
      unwatch();
      cancel();
      signal.removeEventListener("abort", stop);
    },
  };
}

async function describeEnd(services: Services, { workspaceId, id }: RunRecord, isRepeat: boolean): Promise<HttpAnswer> {
  const run = await services.store.findRun(workspaceId, id);
  const recorded = run && isRepeat ? await recordedAnswer(services, run) : null;
  if (recorded) return recorded;
  const error = run && run.status !== "cancelled" ? run.error : null;
  if (error) return jsonAnswer(500, { error: error.message, code: error.code, run_id: id });
  const message = "The workflow ended without responding to the webhook";
  return jsonAnswer(500, { error: message, code: "WORKFLOW_ENDED_WITHOUT_RESPONSE", run_id: id });
}

/** Where the true answer is gone, the sender hears at least that its event was taken. */
async function recordedAnswer(services: Services, first: RunRecord): Promise<HttpAnswer | null> {
  try {
    return await findRecordedAnswer(services, first);
  } catch (error) {
    if (error instanceof GoneOriginalsError) return acceptedAnswer(first);
    throw error;
  }
}
