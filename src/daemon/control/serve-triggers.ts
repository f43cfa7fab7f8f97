import type { Hono } from "hono";
import { ApiError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import {
  type DeliveryList,
  type TriggerList,
  type TriggerSecret,
  deliveryQuery,
  fireRequest,
  secretChange,
} from "../../contract/trigger.ts";
import { presentRun } from "../../engine/presentation/present-run.ts";
import { armTrigger } from "../../engine/events/arm-polls.ts";
import { readSchedule } from "../../engine/schedule/schedule.ts";
import { exampleEvent, presentFeed } from "../../engine/events/present-feed.ts";
import type { Services } from "../../engine/services.ts";
import { setWebhookSecrets, webhookSecretsOf } from "../../engine/webhook-secrets.ts";
import { presentDelivery } from "../../engine/webhooks/present-delivery.ts";
import { presentTrigger, presentTriggerDetail } from "../../engine/webhooks/present-trigger.ts";
import { redeliver, startUnawaited } from "../../engine/webhooks/redeliver.ts";
import type { SubscriptionRecord } from "../../store/store.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import type { DeliveryLog } from "../loops/delivery-log.ts";
import { readFields } from "../operation.ts";
import type { ControlRoute } from "./control-route.ts";

export type TriggerParts = {
  services: Services;
  deliveries: DeliveryLog;
  webhookUrl(subscriptionId: string): string;
  userId: string;
};

/** What event-driven workflows listen to, and what came to them (contract 18). */
export function serveTriggers(app: Hono<HttpEnv>, parts: TriggerParts, { workspaceOf, bodyOf, answer }: ControlRoute) {
  const { services } = parts;
  const { store, world } = services;
  const place = async (subscription: SubscriptionRecord) => {
    const feed = await presentFeed(services, subscription);
    return { now: world.now().getTime(), urlOf: parts.webhookUrl, feed };
  };
  const find = async (request: Request, reference: string) =>
    findTrigger(services, (await workspaceOf(request)).id, reference);
  const show = async (subscription: SubscriptionRecord) =>
    answer(presentTriggerDetail(subscription, await countSecrets(services, subscription), await place(subscription)));

  app.get("/control/triggers", async ({ req }) => {
    const subscriptions = await store.listSubscriptions((await workspaceOf(req.raw)).id);
    const triggers = await Promise.all(
      subscriptions.map(async (subscription) => presentTrigger(subscription, await place(subscription))),
    );
    return answer({ triggers } satisfies TriggerList);
  });
  app.get("/control/triggers/:ref", async ({ req }) => show(await find(req.raw, req.param("ref"))));
  for (const [change, status] of [["enable", "active"] as const, ["disable", "paused"] as const]) {
    app.post(`/control/triggers/:ref/${change}`, async ({ req }) => {
      const { id, workspaceId, workflowId } = await find(req.raw, req.param("ref"));
      await store.setSubscriptionStatus({ workspaceId, id, status, at: world.now().getTime() });
      await armTrigger(services, workspaceId, workflowId);
      return show(await findTrigger(services, workspaceId, id));
    });
  }
  app.post("/control/triggers/:ref/fire", async ({ req }) => {
    const subscription = await find(req.raw, req.param("ref"));
    const { body } = await bodyOf(req.raw, fireRequest.strict());
    const output = await firedOutput(services, subscription, body);
    const run = await startUnawaited(services, subscription, { source: "test", output, userId: parts.userId });
    return answer(presentRun(run));
  });
  app.post("/control/triggers/:ref/secret", async ({ req }) => {
    const subscription = await find(req.raw, req.param("ref"));
    return answer(await changeSecret(services, subscription, await bodyOf(req.raw, secretChange)));
  });
  app.get("/control/deliveries", async ({ req }) => {
    const { trigger, limit, before } = readFields(deliveryQuery, req.query());
    const workspaceId = (await workspaceOf(req.raw)).id;
    const of = trigger === undefined ? null : await findTrigger(services, workspaceId, trigger);
    await parts.deliveries.flush();
    const filter = {
      workspaceId,
      limit,
      ...(before !== undefined && { before }),
      ...(of && { subscriptionId: of.id }),
    };
    const found = await store.listDeliveries(filter);
    const deliveries = await Promise.all(found.map(async (delivery) => presentDelivery(store, delivery)));
    return answer({ deliveries } satisfies DeliveryList);
  });
  app.post("/control/deliveries/:id/redeliver", async ({ req }) => {
    const { id: workspaceId } = await workspaceOf(req.raw);
    await parts.deliveries.flush();
    return answer(presentRun(await redeliver(services, workspaceId, req.param("id").toLowerCase())));
  });
}

/** By its id, its workflow's id or its workflow's name. Throws NOT_FOUND, and CONFLICT where several have the name. */
export async function findTrigger(
  { store }: Services,
  workspaceId: number,
  reference: string,
): Promise<SubscriptionRecord> {
  const all = await store.listSubscriptions(workspaceId);
  const exact = all.find(({ id, workflowId }) => id === reference || workflowId === reference.toLowerCase());
  const fits = exact ? [exact] : all.filter(({ workflowName }) => workflowName === reference);
  const [subscription] = fits;
  if (!subscription) {
    const message = `No trigger has this id, and no event-driven workflow this id or name: ${reference.slice(0, 100)}`;
    throw new ApiError("NOT_FOUND", message);
  }
  if (fits.length === 1) return subscription;
  throw new ApiError("CONFLICT", `${fits.length} workflows have the name ${reference}: name one by its id`, {
    details: fits.map(({ id, workflowId }) => ({ subscription_id: id, workflow_id: workflowId })),
  });
}

/** A webhook gets the body as a request would bring it; any other trigger's output is the body itself, or an example. */
async function firedOutput(
  services: Services,
  subscription: SubscriptionRecord,
  body: Json | undefined,
): Promise<Json> {
  const { kind, config } = subscription;
  const at = services.world.now();
  const timestamp = at.toISOString();
  if (kind === "webhook") return { body: body === undefined ? {} : body, timestamp, headers: {}, query: {} };
  if (body !== undefined) return body;
  if (kind === "connector") return exampleEvent(services, subscription);
  const { type: scheduleType, expression } = readSchedule(config, at.getTime());
  return { timestamp, scheduleType, expression };
}

async function countSecrets(
  services: Services,
  { kind, workspaceId, workflowId }: SubscriptionRecord,
): Promise<number | null> {
  if (kind !== "webhook") return 0;
  try {
    return (await webhookSecretsOf(services, workspaceId, workflowId)).length;
  } catch {
    // What is wrong with it is told where it is needed.
    return null;
  }
}

/** Bytes of a secret that is made here; Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

async function changeSecret(
  services: Services,
  { id, kind, workspaceId, workflowId }: SubscriptionRecord,
  change: { action: "set" | "rotate" | "clear"; secret?: string | undefined },
): Promise<TriggerSecret> {
  if (kind !== "webhook") throw new ApiError("BAD_REQUEST", "Only a webhook has a secret");
  if (change.action === "clear") {
    await setWebhookSecrets(services, workspaceId, workflowId, []);
    return { subscription_id: id, secrets: 0, secret: null };
  }
  const made =
    change.secret === undefined ? `whsec_${Buffer.from(services.randomBytes(secretBytes)).toString("base64")}` : null;
  const newest = change.secret ?? made ?? "";
  const before = change.action === "rotate" ? await webhookSecretsOf(services, workspaceId, workflowId) : [];
  const secrets = [newest, ...before.filter((secret) => secret !== newest)].slice(0, 2);
  await setWebhookSecrets(services, workspaceId, workflowId, secrets);
  return { subscription_id: id, secrets: secrets.length, secret: made };
}
