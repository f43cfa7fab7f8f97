import type { Json } from "../../contract/json.ts";
import type { PollRecord, SubscriptionRecord } from "../../store/store.ts";
import { verdictOf } from "../calls/breakers.ts";
import { failureOfThrown } from "../calls/call-error.ts";
import type { ConnectorEvent, OpenConnection } from "../connector.ts";
import type { StepError } from "../node.ts";
import { redact } from "../redaction/redact.ts";
import type { Services } from "../services.ts";
import { type EventSource, findEventSource, resolveParams, sourceKey } from "./event-source.ts";
import { openSource } from "./open-source.ts";
import { takeEvents } from "./take-events.ts";

type Polled = { events: readonly ConnectorEvent[]; cursor: Json } | { error: StepError };
type Ask = { subscription: SubscriptionRecord; source: EventSource; cursor: Json; signal: AbortSignal };

/** Polls that fail come this seldom at last, unless the trigger itself is polled less often. */
const longestPauseMs = 15 * 60_000;
/** There was no room for all runs: the rest comes soon. */
const fullQueueMs = 5_000;

/**
 * Asks a connector's service once for what is new since the last poll, starts the runs of its events, and sets when the
 * next poll is due; after failures later each time. Nothing is lost where the signal or a crash ends it: the next poll
 * asks from the same cursor. A trigger that is not polled has its moment taken away.
 */
export async function pollTrigger(services: Services, subscriptionId: string, signal: AbortSignal): Promise<void> {
  const { store } = services;
  const subscription = await findListening(services, subscriptionId);
  const source = subscription && (await findEventSource(services, subscription.workspaceId, subscription.config));
  if (!subscription || !source || isSent(source)) {
    return store.setMoment({ kind: "poll", owner: subscriptionId, at: null });
  }
  const state = await store.findPoll(subscriptionId);
  if (!("problem" in source)) return pollSource(services, { subscription, source, state, signal });
  const error: StepError = { code: "VALIDATION_ERROR", message: source.problem };
  return noteFailure(services, subscription, { state, source: state?.source ?? "", everyMs: longestPauseMs, error });
}

async function findListening({ store }: Services, id: string): Promise<SubscriptionRecord | null> {
  const subscription = await store.findSubscription(id);
  if (subscription?.kind !== "connector" || subscription.status !== "active") return null;
  return subscription.version ? subscription : null;
}

function isSent(source: Awaited<ReturnType<typeof findEventSource>>): boolean {
  return "mode" in source && source.mode !== "poll";
}

type Standing = Omit<Ask, "cursor"> & { state: PollRecord | null };

async function pollSource(services: Services, { state, ...place }: Standing): Promise<void> {
  const { subscription, source, signal } = place;
  const key = sourceKey(source);
  const last = state?.source === key ? state : null;
  const polled = await ask(services, { ...place, cursor: last?.cursor ?? null });
  // Whoever ends the daemon does not want to hear that the poll failed.
  if (signal.aborted) return;
  const { everyMs } = source;
  if ("error" in polled)
    return noteFailure(services, subscription, { state, source: key, everyMs, error: polled.error });
  const now = services.world.now().getTime();
  const due = { nextAt: now + everyMs, retryAt: now + fullQueueMs };
  const poll = { seen: state?.revision ?? 0, source: key, cursor: polled.cursor, ...due };
  const arePast = last === null || last.polledAt === null;
  const taken = await takeEvents(services, { subscription, events: polled.events, arePast, poll });
  if (taken.kind === "taken") services.wakeAt(taken.isComplete ? due.nextAt : due.retryAt);
}

/** One call under the circuit breaker of the connection; after a refusal once more with new credentials. */
async function ask(services: Services, request: Ask): Promise<Polled> {
  const { subscription, source } = request;
  const { workspaceId } = subscription;
  const opened = await openSource(services, workspaceId, source);
  if ("error" in opened) return opened;
  const { connection } = opened;
  const integration = {
    workspaceId,
    connector: source.connector.slug,
    connectionId: connection?.id ?? null,
    target: null,
  };
  const permit = await services.breakers.ask(integration);
  if ("retryAfterMs" in permit) {
    const message = `Calls of ${source.connector.slug} failed too often and are not made for now`;
    return { error: { code: "UPSTREAM_ERROR", message, retryAfterMs: permit.retryAfterMs } };
  }
  const polled = await callWithRefresh(services, request, connection);
  const verdict = request.signal.aborted
    ? "unknown"
    : verdictOf("error" in polled ? { kind: "fail", error: polled.error } : { kind: "done", output: null });
  await permit.tell(verdict).catch(() => undefined);
  return polled;
}

async function callWithRefresh(services: Services, request: Ask, connection: OpenConnection | null): Promise<Polled> {
  const { connections } = services;
  const { workspaceId } = request.subscription;
  const first = await call(services, request, connection);
  if (!connection || request.signal.aborted) return first;
  const isRefused = "error" in first && first.error.code === "AUTH_EXPIRED";
  const refreshed = isRefused
    ? await connections.refresh(workspaceId, connection.id, connection).catch(() => null)
    : null;
  const polled = refreshed ? await call(services, request, refreshed) : first;
  await connections.tell(workspaceId, refreshed ?? connection, "error" in polled ? polled.error : null);
  return polled;
}

async function call(
  services: Services,
  { subscription, source, cursor, signal: ended }: Ask,
  connection: OpenConnection | null,
): Promise<Polled> {
  const { world, limits } = services;
  const limit = new AbortController();
  const signal = AbortSignal.any([ended, limit.signal]);
  const { promise: overrun, resolve } = Promise.withResolvers<Polled>();
  const seconds = limits.stepTimeoutSeconds;
  const cancel = world.after(seconds * 1000, () => {
    const message = `${source.connector.slug} did not answer within ${seconds} s`;
    resolve({ error: { code: "TIMEOUT", message } });
    limit.abort(new DOMException(message, "TimeoutError"));
  });
  try {
    const resolved = resolveParams(services, subscription, source);
    if ("problem" in resolved) return { error: { code: "VALIDATION_ERROR", message: resolved.problem } };
    const guarded = services.fetchFor(connection);
    const { poll } = source.trigger;
    if (!poll) return { error: { code: "VALIDATION_ERROR", message: `${source.trigger.event} can't be polled` } };
    const polled = poll.run({
      connection,
      params: resolved.params,
      cursor,
      // Whatever the connector forgets: the end of the poll closes the socket.
      fetch: async (input, init) =>
        guarded(input, { ...init, signal: init?.signal ? AbortSignal.any([signal, init.signal]) : signal }),
      signal,
      now: () => world.now(),
    });
    return await Promise.race([polled, overrun]);
  } catch (thrown) {
    const outcome = failureOfThrown(thrown);
    return { error: outcome.kind === "fail" ? outcome.error : { code: "UNKNOWN", message: "The poll failed" } };
  } finally {
    cancel();
  }
}

type Failure = { state: PollRecord | null; source: string; everyMs: number; error: StepError };

async function noteFailure(
  services: Services,
  { id: subscriptionId, workspaceId }: SubscriptionRecord,
  { state, source, everyMs, error }: Failure,
): Promise<void> {
  const { store, world, values } = services;
  const at = world.now().getTime();
  const failures = state?.source === source ? state.failures : 0;
  const pause = Math.min(everyMs * 2 ** Math.min(failures, 20), Math.max(longestPauseMs, everyMs));
  const nextAt = at + Math.max(pause, error.retryAfterMs ?? 0);
  const { value: message } = redact(error.message, values.known(workspaceId));
  const told = { code: error.code, message: typeof message === "string" ? message : "" };
  await store.failPoll({ subscriptionId, seen: state?.revision ?? 0, source, at, nextAt, error: told });
  services.wakeAt(nextAt);
}
