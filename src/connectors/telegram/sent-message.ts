import type { Json } from "../../contract/json.ts";
import type { OperationCall } from "../../engine/connector.ts";
import { isRecord, toJson } from "../../engine/values/json.ts";
import type { Schema } from "../define-operation.ts";

export const replyMarkup: Schema = {
  type: "object",
  description:
    'Buttons, as the Bot API writes them: {"inline_keyboard": [[{"text": "Yes", "callback_data": "yes"}]]}. A press comes back as the event callback_query',
};

/** What every message that is sent may say beside its content. */
export const sendOptions: { readonly [name: string]: Schema } = {
  reply_markup: replyMarkup,
  reply_to_message_id: { type: "integer", description: "The message that this one answers" },
  message_thread_id: { type: "integer", description: "Topic of a forum" },
  disable_notification: { type: "boolean", description: "Sends without a sound" },
  protect_content: { type: "boolean", description: "Keeps the message from being forwarded and saved" },
};

/** The input as the Bot API wants it: a reply is an object there. */
export function sendParameters({ reply_to_message_id: reply, ...input }: OperationCall["input"]): {
  [key: string]: Json | undefined;
} {
  return reply === undefined ? input : { ...input, reply_parameters: { message_id: reply } };
}

/** The ids that later steps need, in front of the whole message. */
export function sentMessage(result: Json): Json {
  if (!isRecord(result)) return result;
  const chat = isRecord(result["chat"]) ? toJson(result["chat"]["id"]) : null;
  return {
    message_id: toJson(result["message_id"]),
    chat_id: chat,
    date: toJson(result["date"]),
    message: result as Json,
  };
}
