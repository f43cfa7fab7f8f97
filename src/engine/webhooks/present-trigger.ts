import type { TriggerBody, TriggerDetail, TriggerFeed } from "../../contract/trigger.ts";
import type { SubscriptionRecord } from "../../store/store.ts";
import type { Json } from "../../contract/json.ts";
import { hiddenSecret } from "../definition/definition-secrets.ts";
import { isoTime } from "../presentation/present-time.ts";
import { nextFireAt } from "../schedule/pass-schedule.ts";
import { respondsByNode } from "./receive-webhook.ts";

/** What a subscription does not say itself; `feed` is that of a connector's trigger. */
type TriggerPlace = { now: number; urlOf(id: string): string; feed: TriggerFeed | null };

/** A subscription as lists show it (contract 18). */
export function presentTrigger(subscription: SubscriptionRecord, { now, urlOf, feed }: TriggerPlace): TriggerBody {
  const { id, kind, status } = subscription;
  return {
    subscription_id: id,
    workflow_id: subscription.workflowId,
    workflow_name: subscription.workflowName,
    kind,
    // Archived ones are not shown.
    status: status === "paused" ? "paused" : "active",
    url: kind === "webhook" || feed?.mode === "webhook" ? urlOf(id) : null,
    next_fire_at: isoTime(nextFireAt(subscription, now)),
    ...(feed && { feed }),
  };
}

export function presentTriggerDetail(
  subscription: SubscriptionRecord,
  secrets: number | null,
  place: TriggerPlace,
): TriggerDetail {
  const { kind, config, version } = subscription;
  const mode = respondsByNode(subscription) ? "respond_node" : "immediate";
  return {
    ...presentTrigger(subscription, place),
    version: version?.number ?? null,
    user_id: subscription.userId,
    respond_mode: kind === "webhook" ? mode : null,
    secrets,
    config: hideConfig(config),
    activated_at: new Date(subscription.activatedAt).toISOString(),
  };
}

/** Versions of before literal secrets were taken out of definitions may have one. */
function hideConfig({ secret, secrets, ...config }: { [key: string]: Json }): { [key: string]: Json } {
  const hide = (text: Json): Json => (typeof text === "string" && !text.includes("{{") ? hiddenSecret : text);
  return {
    ...config,
    ...(secret !== undefined && { secret: hide(secret) }),
    ...(Array.isArray(secrets) && { secrets: secrets.map(hide) }),
  };
}
