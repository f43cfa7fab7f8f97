import type { Json } from "../../contract/json.ts";
import type { ConnectorEvent } from "../../engine/connector.ts";
import { isRecord, toJson } from "../../engine/values/json.ts";

/** The kinds of event of spec 2.11. */
export type EventKind = "new_message" | "callback_query" | "chat_join_request" | "bot_event";

/** Which updates of the Bot API each kind of event is about. */
const kinds: Readonly<Record<EventKind, readonly string[]>> = {
  new_message: ["message", "channel_post", "business_message"],
  callback_query: ["callback_query"],
  chat_join_request: ["chat_join_request"],
  bot_event: ["my_chat_member", "chat_member", "chat_boost", "removed_chat_boost", "business_connection"],
};

/** All that a bot is to be told. It is one setting of the bot, so that all workflows have to ask for the same. */
export const allowedUpdates: readonly string[] = Object.values(kinds).flat();

/** One update with the name of the part that says what happened. */
export type Update = { id: number; name: string; part: Record<string, unknown> };

/** Reads an update; null for what is none, and for kinds that nothing is known of. */
export function readUpdate(value: unknown): Update | null {
  if (!isRecord(value) || typeof value["update_id"] !== "number") return null;
  const name = allowedUpdates.find((each) => Object.hasOwn(value, each)) ?? "";
  const part = name === "" ? undefined : value[name];
  return { id: value["update_id"], name, part: isRecord(part) ? part : {} };
}

/** The event that an update is for a kind; null when it is one of another kind. */
export function eventOf(kind: EventKind, { id, name, part }: Update): ConnectorEvent | null {
  if (!kinds[kind].includes(name)) return null;
  return { id: String(id), output: { update_id: id, kind: name, ...shapes[kind](part), update: toJson(part) } };
}

/** When an update happened, in epoch seconds; null where it does not say. */
export function dateOf({ part }: Update): number | null {
  return typeof part["date"] === "number" ? part["date"] : null;
}

type Part = Readonly<Record<string, unknown>>;

/** What workflows mostly need, at the top; the whole is in `update`. */
const shapes: Readonly<Record<EventKind, (part: Part) => { [key: string]: Json }>> = {
  new_message: (part) => ({
    ...place(part),
    text: toJson(part["text"] ?? part["caption"] ?? null),
    date: toJson(part["date"] ?? null),
  }),
  callback_query: (part) => ({
    ...place(isRecord(part["message"]) ? part["message"] : {}),
    callback_query_id: toJson(part["id"] ?? null),
    data: toJson(part["data"] ?? null),
    // Who pressed the button, not who wrote the message.
    from: toJson(part["from"] ?? null),
  }),
  chat_join_request: (part) => ({
    ...place(part),
    user_id: toJson(isRecord(part["from"]) ? part["from"]["id"] : null),
    bio: toJson(part["bio"] ?? null),
    date: toJson(part["date"] ?? null),
  }),
  bot_event: (part) => ({
    ...place(part),
    old_status: statusOf(part["old_chat_member"]),
    new_status: statusOf(part["new_chat_member"]),
    date: toJson(part["date"] ?? null),
  }),
};

function place(part: Part): { [key: string]: Json } {
  const chat = isRecord(part["chat"]) ? part["chat"] : null;
  return {
    chat_id: toJson(chat?.["id"] ?? null),
    chat: toJson(chat),
    message_id: toJson(part["message_id"] ?? null),
    from: toJson(part["from"] ?? null),
  };
}

function statusOf(member: unknown): Json {
  return isRecord(member) ? toJson(member["status"] ?? null) : null;
}
