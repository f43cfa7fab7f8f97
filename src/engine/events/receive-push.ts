import { type ErrorCode, ApiError } from "../../contract/errors.ts";
import { type HttpAnswer, headerProblem } from "../../contract/webhook.ts";
import type { EventsTaken, NewDelivery, SubscriptionRecord } from "../../store/store.ts";
import type { PushAnswer } from "../connector.ts";
import type { Services } from "../services.ts";
import { loggedBytes } from "../webhooks/logged-body.ts";
import { findEventSource, resolveParams } from "./event-source.ts";
import { openSource } from "./open-source.ts";
import { takeEvents } from "./take-events.ts";

/** A request to a connector's trigger, as it came. */
type PushedRequest = {
  subscription: SubscriptionRecord;
  headers: Headers;
  query: URLSearchParams;
  body: Uint8Array;
  at: Date;
};

/** A request that started nothing; its cause is what the sender is told, and `delivery` is to be noted. */
export class PushRefusedError extends Error {
  readonly delivery: NewDelivery;

  constructor(cause: unknown, delivery: NewDelivery) {
    super("The request was refused", { cause });
    this.name = "PushRefusedError";
    this.delivery = delivery;
  }
}

/** Told to the sender in few words; the log of deliveries has the reason. */
class UnusableError extends ApiError {
  readonly reason: string;

  constructor(reason: string) {
    super("UNAUTHORIZED", "Invalid webhook signature");
    this.reason = reason;
  }
}

type Decoded = Extract<PushAnswer, { kind: "events" }>;

/**
 * Starts the runs of the events that a service sends (contract 11): the connector verifies and reads the request and words
 * the answer; each event starts one run, however often it is told. Durable when it settles. Rejects with PushRefusedError.
 */
export async function receivePush(
  services: Services,
  request: PushedRequest,
): Promise<{ answer: HttpAnswer; delivery: NewDelivery }> {
  try {
    const decoded = await decode(services, request);
    const taken = await take(services, request, decoded);
    const runIds = taken.flatMap((event) => (event.kind === "seen" ? (event.runId ?? []) : event.run.id));
    const answer = wordAnswer(decoded, runIds);
    const isRepeat = taken.length > 0 && taken.every(({ kind }) => kind === "seen");
    const reason = taken.length === 0 ? "no events" : isRepeat ? "seen before" : null;
    const dedupId = decoded.events.length === 1 ? (decoded.events[0]?.id.slice(0, 255) ?? null) : null;
    const noted = { status: answer.status, runId: runIds[0] ?? null, reason, dedupId };
    return { answer, delivery: noteOf(services, request, noted) };
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 500;
    const message = error instanceof ApiError ? error.message : "Internal error";
    const reason = error instanceof UnusableError ? error.reason : message;
    const noted = { status, runId: null, reason, dedupId: null };
    throw new PushRefusedError(error, noteOf(services, request, noted));
  }
}

const refusalCodes: Record<400 | 401 | 403, ErrorCode> = { 400: "BAD_REQUEST", 401: "UNAUTHORIZED", 403: "FORBIDDEN" };

async function decode(services: Services, { subscription, at, ...request }: PushedRequest): Promise<Decoded> {
  const { workspaceId, config } = subscription;
  const source = await findEventSource(services, workspaceId, config);
  if ("problem" in source || source.mode !== "webhook" || !source.trigger.push) {
    throw new ApiError("NOT_FOUND", "There is no webhook at this address");
  }
  const opened = await openSource(services, workspaceId, source);
  // Without credentials nothing can be verified, and nothing is let in unchecked.
  if ("error" in opened) throw new UnusableError(opened.error.message);
  const resolved = resolveNow(services, subscription, source);
  if ("problem" in resolved) throw new UnusableError(resolved.problem);
  const { connection } = opened;
  const decoded = await source.trigger.push.decode({
    ...request,
    connection,
    params: resolved.params,
    now: () => at,
  });
  if (decoded.kind === "events") return decoded;
  throw new ApiError(refusalCodes[decoded.status], decoded.message);
}

function resolveNow(...args: Parameters<typeof resolveParams>): ReturnType<typeof resolveParams> {
  try {
    return resolveParams(...args);
  } catch (thrown) {
    // A secret that is missing or can't be opened.
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function take(
  services: Services,
  { subscription }: PushedRequest,
  { events }: Decoded,
): Promise<Extract<EventsTaken, { kind: "taken" }>["events"]> {
  // A handshake says only that somebody is there.
  if (events.length === 0) return [];
  const taken = await takeEvents(services, { subscription, events });
  if (taken.kind === "stale") {
    throw new ApiError("ACTION_UNAVAILABLE", `The workflow ${subscription.workflowName} is paused`);
  }
  if (taken.isComplete) return taken.events;
  const message = "Too many accepted runs wait already; send it again in a moment";
  throw new ApiError("OVERLOADED", message, { retryAfterSeconds: 1 });
}

function wordAnswer({ response }: Decoded, runIds: readonly string[]): HttpAnswer {
  if (!response) {
    const [run_id = null] = runIds;
    const body = { accepted: true, run_id, run_ids: runIds };
    return { status: 202, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  }
  const { status, headers = {}, body = null } = response;
  const kept = Object.entries(headers).filter(([name, value]) => headerProblem(name, value) === null);
  return { status, headers: Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), value])), body };
}

function noteOf(
  { world, values }: Services,
  { subscription, body, at }: PushedRequest,
  noted: Pick<NewDelivery, "status" | "runId" | "reason" | "dedupId">,
): NewDelivery {
  return {
    ...noted,
    id: world.newId(),
    subscriptionId: subscription.id,
    at: at.getTime(),
    redeliveryOf: null,
    body: loggedBytes(body, values.known(subscription.workspaceId)),
    bytes: body.byteLength,
    sealed: null,
  };
}
