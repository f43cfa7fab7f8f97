import { ApiError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import type { NewDelivery, RunRecord, SubscriptionRecord } from "../../store/store.ts";
import type { Services } from "../services.ts";
import { findTriggeredRun, startTriggeredRun } from "../start-triggered-run.ts";
import { MissingSecretError } from "../templates/named-values.ts";
import { SealedValueError } from "../sealed-value.ts";
import { resolveWebhookSecrets } from "../webhook-secrets.ts";
import { loggedBody, loggedBytes } from "./logged-body.ts";
import { dedupIdOf, webhookOutput } from "./trigger-output.ts";
import { verifySignature } from "./verify-signature.ts";

/** A request to a webhook, as it came; `parse` reads its body as JSON and throws BAD_REQUEST. */
export type WebhookRequest = {
  subscription: SubscriptionRecord;
  headers: Headers;
  query: URLSearchParams;
  body: Uint8Array;
  at: Date;
  parse(body: Uint8Array): Json;
};

/** `delivery` is already noted where the run was started now. */
export type ReceivedWebhook = { run: RunRecord; isRepeat: boolean; delivery: NewDelivery };

/** Characters of what a sender calls its event that the log of deliveries keeps. */
export const notedIdLength = 255;

/** Refused requests that the sender may rightly send again: they are kept, to be delivered again by hand. */
const passing: ReadonlySet<string> = new Set(["ACTION_UNAVAILABLE", "OVERLOADED", "INTERNAL_ERROR"]);

/** A request that started nothing; `delivery` is to be noted. */
export class RefusedWebhookError extends Error {
  readonly delivery: NewDelivery;

  constructor(cause: unknown, delivery: NewDelivery) {
    super("The webhook was refused", { cause });
    this.name = "RefusedWebhookError";
    this.delivery = delivery;
  }
}

/** Whether the caller waits for a Respond to Webhook node. */
export function respondsByNode({ config }: SubscriptionRecord): boolean {
  return config["respondMode"] === "respond_node";
}

/**
 * Starts the run of a webhook's request (contract 11): signature, JSON, then whether it was seen before, then whether the
 * workflow listens. A sender that repeats itself gets the first run, even of a paused workflow. Durable when it settles.
 * Rejects with RefusedWebhookError, whose cause is what the caller is told.
 */
export async function receiveWebhook(services: Services, request: WebhookRequest): Promise<ReceivedWebhook> {
  const { subscription, headers, body, at } = request;
  const delivery: NewDelivery = {
    id: services.world.newId(),
    subscriptionId: subscription.id,
    at: at.getTime(),
    status: respondsByNode(subscription) ? null : 202,
    runId: null,
    reason: null,
    dedupId: dedupIdOf(headers)?.slice(0, notedIdLength) ?? null,
    redeliveryOf: null,
    body: null,
    bytes: body.byteLength,
    sealed: null,
  };
  let output: { [key: string]: Json } | null = null;
  try {
    await assertSigned(services, request);
    output = webhookOutput(request.parse(body), at, headers, request.query);
    return await start(services, request, delivery, output);
  } catch (error) {
    const code = error instanceof ApiError ? error.code : "INTERNAL_ERROR";
    // Under the delivery's own id, as if it were the input of a run of that name.
    const sealed = output && passing.has(code) ? services.sealer.seal(delivery.id, "input", output) : null;
    throw new RefusedWebhookError(error, { ...delivery, ...describeRefusal(services, request, output, error), sealed });
  }
}

async function start(
  services: Services,
  { subscription, headers }: WebhookRequest,
  delivery: NewDelivery,
  output: Json,
): Promise<ReceivedWebhook> {
  const dedupId = dedupIdOf(headers);
  const first = dedupId === null ? null : await findTriggeredRun(services, subscription, dedupId);
  if (first) return { run: first, isRepeat: true, delivery };
  if (subscription.status === "paused") {
    throw new ApiError("ACTION_UNAVAILABLE", `The workflow ${subscription.workflowName} is paused`);
  }
  const awaits = respondsByNode(subscription);
  const handlerId = awaits ? services.responses.handlerId : null;
  const { run, isRepeat } = await startTriggeredRun(services, {
    subscription,
    source: "webhook",
    output,
    dedupId,
    http: { requestId: delivery.id, handlerId },
    delivery,
    onCreated: ({ id }) => awaits && services.responses.open(id),
  });
  return { run, isRepeat, delivery };
}

/** Throws UNAUTHORIZED for a request without a valid signature, and where the secret that there should be can't be had. */
async function assertSigned(services: Services, { subscription, headers, body, at }: WebhookRequest): Promise<void> {
  const secrets = await findSecrets(services, subscription);
  if (secrets.length === 0 || verifySignature({ headers, body }, secrets, at.getTime())) return;
  throw new ApiError("UNAUTHORIZED", "Invalid webhook signature");
}

async function findSecrets(services: Services, { workspaceId, workflowId, config, version }: SubscriptionRecord) {
  if (!version) return [];
  const { graph } = await services.versions.load(version.id);
  const trigger = graph.nodes.find(({ type }) => type.type === "trigger");
  if (!trigger) return [];
  try {
    return resolveWebhookSecrets(services, workspaceId, workflowId, { id: trigger.id, data: config });
  } catch (cause) {
    if (!(cause instanceof MissingSecretError || cause instanceof SealedValueError)) throw cause;
    throw new SecretUnavailableError(cause.message);
  }
}

/** The sender hears that its signature is wrong; the log of deliveries says what is missing here. */
class SecretUnavailableError extends ApiError {
  readonly reason: string;

  constructor(reason: string) {
    super("UNAUTHORIZED", "Invalid webhook signature");
    this.reason = reason;
  }
}

function describeRefusal(
  services: Services,
  { subscription, body }: WebhookRequest,
  output: { [key: string]: Json } | null,
  error: unknown,
): Pick<NewDelivery, "status" | "reason" | "body"> {
  const status = error instanceof ApiError ? error.status : 500;
  const message = error instanceof ApiError ? error.message : "Internal error";
  const reason = error instanceof SecretUnavailableError ? error.reason : message;
  const known = services.values.known(subscription.workspaceId);
  return { status, reason, body: output ? loggedBody(output["body"] ?? null, known) : loggedBytes(body, known) };
}
