import type { TriggerFeed } from "../../contract/trigger.ts";
import type { Json } from "../../contract/json.ts";
import type { SubscriptionRecord } from "../../store/store.ts";
import { isoTime } from "../presentation/present-time.ts";
import { redact } from "../redaction/redact.ts";
import type { Services } from "../services.ts";
import { exampleOf } from "./example-event.ts";
import { findEventSource, sourceKey } from "./event-source.ts";

/** How the events of a connector's trigger come, and how its last poll went; null for other triggers. */
export async function presentFeed(services: Services, subscription: SubscriptionRecord): Promise<TriggerFeed | null> {
  const { id, kind, workspaceId, config } = subscription;
  if (kind !== "connector") return null;
  const { store, values } = services;
  const source = await findEventSource(services, workspaceId, config);
  const poll = await store.findPoll(id);
  const isFailing = "problem" in source;
  const isCurrent = poll !== null && (isFailing || poll.source === sourceKey(source));
  const due = subscription.status === "active" ? await dueAt(services, id) : null;
  const problem = isFailing ? { code: "VALIDATION_ERROR", message: source.problem } : null;
  const error = problem ?? (isCurrent && poll.error ? { code: poll.error.code, message: poll.error.message } : null);
  const { value: cursor } = redact(isCurrent ? poll.cursor : null, values.known(workspaceId));
  return {
    connector: String(config["connector"]),
    event: String(config["event"]),
    mode: isFailing ? null : source.mode,
    every_seconds: isFailing || source.mode !== "poll" ? null : source.everyMs / 1000,
    last_poll_at: isoTime(isCurrent ? poll.polledAt : null),
    next_poll_at: isoTime(due),
    last_error: error,
    failures: isCurrent ? poll.failures : 0,
    cursor,
  };
}

async function dueAt({ store }: Services, id: string): Promise<number | null> {
  return (await store.listMoments("poll")).find(({ owner }) => owner === id)?.at ?? null;
}

/** An event as the trigger's connector describes it, to try a workflow out with. */
export async function exampleEvent(services: Services, subscription: SubscriptionRecord): Promise<Json> {
  const source = await findEventSource(services, subscription.workspaceId, subscription.config);
  return "problem" in source ? {} : exampleOf(source.trigger.outputSchema);
}
