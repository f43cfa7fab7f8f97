import type { ConnectorOperation } from "../../engine/connector.ts";
import { chatId, defineMethod, sendOptions, sendParameters, sentMessage } from "./operations.ts";

const captions = {
  caption: { type: "string", maxLength: 1024, description: "Text below it, up to 1024 characters" },
  parse_mode: { type: "string", enum: ["MarkdownV2", "HTML", "Markdown"], description: "How the caption is marked up" },
};

export const sendPhoto = sendFile("photo", "sendPhoto", "Sends a picture to a chat, shown in the conversation.");
export const sendDocument = sendFile("document", "sendDocument", "Sends a file to a chat as an attachment.");

function sendFile(kind: "photo" | "document", method: string, what: string): ConnectorOperation {
  return defineMethod({
    key: `send_${kind}`,
    name: `Send a ${kind}`,
    description: `${what} Telegram fetches an address by itself; a file_id of Telegram's sends a file again that it has. Never repeated by itself after a crash.`,
    method,
    required: ["chat_id", kind],
    properties: {
      chat_id: chatId,
      [kind]: { type: "string", minLength: 1, description: "An https address, or a file_id of Telegram's" },
      ...captions,
      ...sendOptions,
    },
    parameters: sendParameters,
    output: sentMessage,
  });
}
