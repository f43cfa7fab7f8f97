import type { Connector, ConnectorTrigger } from "../../engine/connector.ts";
import { outcomeOf } from "../service-call.ts";
import { approveChatJoinRequest, declineChatJoinRequest, deleteWebhook, getMe, setWebhook } from "./bot-operations.ts";
import { callMethod, ownBaseUrl } from "./call-method.ts";
import { decodePush } from "./decode-push.ts";
import { answerCallbackQuery, deleteMessage, editMessageText, sendMessage } from "./message-operations.ts";
import { createPolls } from "./poll-updates.ts";
import { getFile } from "./get-file.ts";
import { sendDocument, sendPhoto } from "./send-file.ts";
import type { EventKind } from "./updates.ts";

const pollOf = createPolls();

const common = "`update` has the whole of it as the Bot API tells it.";

function trigger(event: EventKind, name: string, description: string): ConnectorTrigger {
  return {
    event,
    name,
    description: `${description} ${common}`,
    paramsSchema: { type: "object", additionalProperties: false, properties: {} },
    outputSchema: null,
    poll: { everySeconds: 10, run: pollOf(event) },
    push: { decode: decodePush(event) },
  };
}

/** Telegram's Bot API (contract 13, messenger connector B). */
export const telegram: Connector = {
  slug: "telegram",
  name: "Telegram",
  description: "Sends and receives messages of a Telegram bot.",
  version: "1.0.0",
  auth: {
    type: "custom",
    optional: false,
    fields: [
      {
        name: "token",
        label: "Bot token",
        secret: true,
        required: true,
        description: "From @BotFather, such as 123456:ABC-DEF",
      },
      {
        name: "webhook_secret",
        label: "Webhook secret",
        secret: true,
        required: false,
        description: "For triggers with mode: webhook; 1 to 256 letters, digits, _ or -",
      },
    ],
  },
  baseUrl: ownBaseUrl,
  operations: [
    sendMessage,
    editMessageText,
    deleteMessage,
    answerCallbackQuery,
    sendPhoto,
    sendDocument,
    getFile,
    approveChatJoinRequest,
    declineChatJoinRequest,
    getMe,
    setWebhook,
    deleteWebhook,
  ],
  triggers: [
    trigger(
      "new_message",
      "New message",
      "A message or a channel's post arrived: `{chat_id, text, from, message_id}`.",
    ),
    trigger(
      "callback_query",
      "Button pressed",
      "Somebody pressed a button below a message: `{callback_query_id, data, from, chat_id, message_id}`. Answer it with answer_callback_query.",
    ),
    trigger(
      "chat_join_request",
      "Request to join",
      "Somebody asks to join a chat: `{chat_id, user_id, from, bio}`. Decide with approve_chat_join_request or decline_chat_join_request.",
    ),
    trigger(
      "bot_event",
      "Bot event",
      "Something happened to the bot or to a member of its chats: `{kind, chat_id, old_status, new_status}`, such as the bot being added, blocked or made administrator.",
    ),
  ],
  test: async (call) => outcomeOf(await callMethod(call, "getMe")),
};
