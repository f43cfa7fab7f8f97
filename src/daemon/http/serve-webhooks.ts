import type { Hono } from "hono";
import { ApiError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import { maxBodyBytes, maxJsonDepth } from "../../contract/limits.ts";
import { type HttpAnswer, webhookPath } from "../../contract/webhook.ts";
import { PushRefusedError, receivePush } from "../../engine/events/receive-push.ts";
import type { Services } from "../../engine/services.ts";
import { findOutgrown } from "../../engine/values/json.ts";
import { acceptedAnswer, awaitAnswer, jsonAnswer } from "../../engine/webhooks/await-answer.ts";
import {
  type ReceivedWebhook,
  RefusedWebhookError,
  receiveWebhook,
  respondsByNode,
} from "../../engine/webhooks/receive-webhook.ts";
import type { NewDelivery, SubscriptionRecord } from "../../store/store.ts";
import type { Log } from "../log.ts";
import type { DeliveryLog } from "../loops/delivery-log.ts";
import { shownError } from "./answer.ts";
import type { OpenAnswers } from "./open-answers.ts";
import { isWithinDepth, parseJson, readBytes } from "./read-body.ts";
import type { HttpEnv } from "./serve-operations.ts";

export type WebhookServer = { services: Services; answers: OpenAnswers; deliveries: DeliveryLog; log: Log };

/**
 * On every answer, whatever a workflow says: an answer is opened under this daemon's address, and no browser may take
 * it for a page that can do something there (contract 11).
 */
const always = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
};

/** Inbound webhooks (contract 11). No key: the id is the secret, and a signature where one is set. */
export function serveWebhooks(app: Hono<HttpEnv>, server: WebhookServer): void {
  app.all(`${webhookPath}:id`, async ({ req }) => {
    try {
      if (req.method !== "POST") return notAllowed(req.method);
      return toResponse(await receive(server, req.param("id"), req.raw));
    } catch (error) {
      return refuse(error, server.log);
    }
  });
}

async function receive(server: WebhookServer, id: string, raw: Request): Promise<HttpAnswer> {
  const { services, deliveries } = server;
  const subscription = await services.store.findSubscription(id);
  if (!subscription || !isServed(subscription)) throw new ApiError("NOT_FOUND", "There is no webhook at this address");
  const at = services.world.now();
  const query = new URL(raw.url).searchParams;
  const { body, hold } = await open(server, subscription, raw).catch((error: unknown) => {
    deliveries.note(unread(services, subscription, at, raw, error));
    throw error;
  });
  if (subscription.kind === "connector") {
    return receiveEvents(server, { subscription, headers: raw.headers, query, body, at });
  }
  try {
    const request = { subscription, headers: raw.headers, query, body, at, parse: parseBody };
    const received = await receiveWebhook(services, request);
    if (received.isRepeat) deliveries.note({ ...received.delivery, runId: received.run.id, reason: "seen before" });
    if (!hold) return acceptedAnswer(received.run);
    return await holdCaller(server, received, hold.signal);
  } catch (error) {
    if (!(error instanceof RefusedWebhookError)) throw error;
    deliveries.note(error.delivery);
    throw error.cause;
  } finally {
    hold?.release();
  }
}

/** The body, and for a caller who waits a place among the held answers: before the run, which can't be taken back. */
async function open({ answers }: WebhookServer, subscription: SubscriptionRecord, raw: Request) {
  const body = await readBytes(raw, maxBodyBytes.runtime);
  return { body, hold: respondsByNode(subscription) ? answers.open(null, "answer", raw.signal) : null };
}

/** Whether anything listens: the workflow is there, deployed, and still has a trigger of this kind. */
function isServed({ kind, status, version }: SubscriptionRecord): boolean {
  return kind !== "schedule" && status !== "archived" && version !== null;
}

/** Events that a connector's service sends: the connector reads the request and words the answer. */
async function receiveEvents(
  { services, deliveries }: WebhookServer,
  request: Parameters<typeof receivePush>[1],
): Promise<HttpAnswer> {
  try {
    const { answer, delivery } = await receivePush(services, request);
    deliveries.note(delivery);
    return answer;
  } catch (error) {
    if (!(error instanceof PushRefusedError)) throw error;
    deliveries.note(error.delivery);
    throw error.cause;
  }
}

async function holdCaller(
  { services, deliveries }: WebhookServer,
  { run, isRepeat, delivery }: ReceivedWebhook,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const answer = await awaitAnswer(services, run, { isRepeat, signal });
  const reason = isRepeat ? "seen before" : null;
  deliveries.answered({ id: delivery.id, status: answer.status, reason });
  return answer;
}

/** A request whose body is too large or did not come to its end, or for which there is no room. */
function unread(
  { world }: Services,
  subscription: SubscriptionRecord,
  at: Date,
  raw: Request,
  error: unknown,
): NewDelivery {
  return {
    id: world.newId(),
    subscriptionId: subscription.id,
    at: at.getTime(),
    status: error instanceof ApiError ? error.status : 500,
    runId: null,
    reason: error instanceof ApiError ? error.message : "Internal error",
    dedupId: null,
    redeliveryOf: null,
    body: null,
    bytes: Number(raw.headers.get("content-length") ?? 0) || 0,
    sealed: null,
  };
}

/** Any content type is read as JSON; an empty body is an empty object. */
function parseBody(bytes: Uint8Array): Json {
  if (bytes.byteLength === 0) return {};
  // The log of deliveries keeps the reason, and nothing of a body that was not redacted.
  const value = parseJson(bytes, { isQuoted: false });
  if (!isWithinDepth(value, maxJsonDepth)) {
    throw new ApiError("BAD_REQUEST", `The body is nested more than ${maxJsonDepth} levels deep`);
  }
  if (findOutgrown(value).length > 0) {
    throw new ApiError("BAD_REQUEST", "The body holds a number that is larger than any number can be");
  }
  // JSON.parse makes nothing else.
  return value as Json;
}

/** Statuses of which HTTP says that there is no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function toResponse({ status, headers, body }: HttpAnswer, more: Record<string, string> = {}): Response {
  return new Response(bodiless.has(status) ? null : body, { status, headers: { ...headers, ...always, ...more } });
}

function notAllowed(method: string): Response {
  const error = new ApiError("METHOD_NOT_ALLOWED", `${method.slice(0, 20)} is not allowed here; allowed: POST`);
  return toResponse(jsonAnswer(error.status, error.body()), { allow: "POST" });
}

function refuse(error: unknown, log: Log): Response {
  const shown = shownError(error);
  if (shown !== error) log.error(error, "A webhook failed");
  const retry = shown.retryAfterSeconds === undefined ? {} : { "retry-after": String(shown.retryAfterSeconds) };
  return toResponse(jsonAnswer(shown.status, shown.body()), retry);
}
