import type { Json } from "../../contract/json.ts";
import type { ConnectorOperation, OperationCall } from "../../engine/connector.ts";
import { done } from "../../engine/node.ts";
import { isRecord, toJson } from "../../engine/values/json.ts";
import { type OperationSpec, type Schema, defineOperation } from "../define-operation.ts";
import { outcomeOf } from "../service-call.ts";
import { callMethod } from "./call-method.ts";

type Input = OperationCall["input"];

export type Method = Omit<OperationSpec, "run"> & {
  /** The method's name in the Bot API. */
  method: string;
  /** What goes to the method; default the input as it is. */
  parameters?(input: Input): { [key: string]: Json | undefined };
  /** What the step's output is; default the result as it is. */
  output?(result: Json): Json;
  /** A refusal that says that what was asked for is so already, as after a crash. */
  isDone?(message: string): boolean;
};

/** An operation that is one call of one method, with its input as the parameters. */
export function defineMethod({ method, parameters, output, isDone, ...spec }: Method): ConnectorOperation {
  return defineOperation({
    ...spec,
    async run(call) {
      const answer = await callMethod(call, method, parameters?.(call.input) ?? call.input);
      return "error" in answer && isDone?.(answer.error.message) ? done(null) : outcomeOf(answer, output);
    },
  });
}

export const chatId: Schema = {
  type: ["integer", "string"],
  description: "Id of the chat, such as {{trigger.output.chat_id}}, or @username of a public channel",
};
const messageId: Schema = { type: "integer", description: "Id of the message in its chat" };
const parseMode: Schema = {
  type: "string",
  enum: ["MarkdownV2", "HTML", "Markdown"],
  description: "How the text is marked up; plain text without it. HTML is the easiest to get right",
};
const replyMarkup: Schema = {
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
export function sendParameters({ reply_to_message_id: reply, ...input }: Input): { [key: string]: Json | undefined } {
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

export const sendMessage = defineMethod({
  key: "send_message",
  name: "Send a message",
  description:
    "Sends a text to a chat and returns `{message_id, chat_id}`. Never repeated by itself after a crash, so that nobody " +
    "gets a message twice. A bot can write only to people who wrote to it first, and to groups that it is in.",
  method: "sendMessage",
  required: ["chat_id", "text"],
  properties: {
    chat_id: chatId,
    text: { type: "string", minLength: 1, maxLength: 4096, description: "Up to 4096 characters" },
    parse_mode: parseMode,
    ...sendOptions,
  },
  parameters: sendParameters,
  output: sentMessage,
});

export const editMessageText = defineMethod({
  key: "edit_message_text",
  name: "Edit a message",
  description:
    "Replaces the text, and with `reply_markup` the buttons, of a message that the bot sent. Use it after a " +
    "callback_query to show what was chosen.",
  method: "editMessageText",
  required: ["chat_id", "message_id", "text"],
  properties: {
    chat_id: chatId,
    message_id: messageId,
    text: { type: "string", minLength: 1, maxLength: 4096, description: "The new text" },
    parse_mode: parseMode,
    reply_markup: replyMarkup,
  },
  output: sentMessage,
  effects: "idempotent",
  isDone: (message) => message.includes("message is not modified"),
});

export const deleteMessage = defineMethod({
  key: "delete_message",
  name: "Delete a message",
  description: "Deletes a message, at most 48 hours after it was sent.",
  method: "deleteMessage",
  required: ["chat_id", "message_id"],
  properties: { chat_id: chatId, message_id: messageId },
  output: () => ({ deleted: true }),
});

export const answerCallbackQuery = defineMethod({
  key: "answer_callback_query",
  name: "Answer a button press",
  description:
    "Ends the progress bar of a button that was pressed, with a short note if `text` is given. Answer each " +
    "callback_query within a few seconds.",
  method: "answerCallbackQuery",
  required: ["callback_query_id"],
  properties: {
    callback_query_id: { type: "string", minLength: 1, description: "{{trigger.output.callback_query_id}}" },
    text: { type: "string", maxLength: 200, description: "Shown to who pressed it, up to 200 characters" },
    show_alert: { type: "boolean", description: "Shows the text in a window that has to be closed" },
    url: { type: "string", description: "Address that is opened" },
  },
  output: () => ({ answered: true }),
  effects: "idempotent",
});
