import type { Schema } from "../define-operation.ts";
import { chatId, defineMethod } from "./define-method.ts";
import { replyMarkup, sendOptions, sendParameters, sentMessage } from "./sent-message.ts";

const messageId: Schema = { type: "integer", description: "Id of the message in its chat" };
const parseMode: Schema = {
  type: "string",
  enum: ["MarkdownV2", "HTML", "Markdown"],
  description: "How the text is marked up; plain text without it. HTML is the easiest to get right",
};

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
