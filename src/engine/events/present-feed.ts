import type { TriggerFeed } from "../../contract/trigger.ts";
import type { Json } from "../../contract/json.ts";
import type { PollRecord, SubscriptionRecord } from "../../store/store.ts";
import { isoTime } from "../presentation/present-time.ts";
import { redact } from "../redaction/redact.ts";
import type { Services } from "../services.ts";
import { toText } from "../values/json.ts";
import { exampleOf } from "./example-event.ts";
import { findEventSource, sourceKey } from "./event-source.ts";

/** How the events of a connector's trigger come, and how its last poll went; null for other triggers. */
export async function presentFeed(services: Services, subscription: SubscriptionRecord): Promise<TriggerFeed | null> {
  const { id, kind, workspaceId, config } = subscription;
  if (kind !== "connector") return null;
  const source = await findEventSource(services, workspaceId, config);
  const poll = await services.store.findPoll(id);
  const named = { connector: toText(config["connector"] ?? null), event: toText(config["event"] ?? null) };
  const next_poll_at = isoTime(subscription.status === "active" ? await dueAt(services, id) : null);
  if ("problem" in source) {
    const last_error = { code: "VALIDATION_ERROR", message: source.problem };
    return { ...named, mode: null, every_seconds: null, ...noPoll, next_poll_at, last_error };
  }
  const every_seconds = source.mode === "poll" ? source.everyMs / 1000 : null;
  const standing = poll?.source === sourceKey(source) ? presentPoll(services, workspaceId, poll) : noPoll;
  return { ...named, mode: source.mode, every_seconds, ...standing, next_poll_at };
}

type Standing = Pick<TriggerFeed, "last_poll_at" | "last_error" | "failures" | "cursor">;

/** Before the first poll of what is listened to now. */
const noPoll: Standing = { last_poll_at: null, last_error: null, failures: 0, cursor: null };

function presentPoll(
  { values }: Services,
  workspaceId: number,
  { polledAt, error, failures, cursor }: PollRecord,
): Standing {
  return {
    last_poll_at: isoTime(polledAt),
    last_error: error && { code: error.code, message: error.message },
    failures,
    cursor: redact(cursor, values.known(workspaceId)).value,
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
