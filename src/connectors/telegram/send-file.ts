import type { Json } from "../../contract/json.ts";
import type { ConnectorOperation, OperationCall } from "../../engine/connector.ts";
import { isRecord, toText } from "../../engine/values/json.ts";
import { defineOperation } from "../define-operation.ts";
import { appendFile, fileIdOf } from "../files.ts";
import { type ServiceAnswer, outcomeOf } from "../service-call.ts";
import { callMethod } from "./call-method.ts";
import { chatId } from "./define-method.ts";
import { sendOptions, sendParameters, sentMessage } from "./sent-message.ts";

const captions = {
  caption: { type: "string", maxLength: 1024, description: "Text below it, up to 1024 characters" },
  parse_mode: { type: "string", enum: ["MarkdownV2", "HTML", "Markdown"], description: "How the caption is marked up" },
};

export const sendPhoto = sendFile("photo", "sendPhoto", "Sends a picture to a chat, shown in the conversation.");
export const sendDocument = sendFile("document", "sendDocument", "Sends a file to a chat as an attachment.");

function sendFile(kind: "photo" | "document", method: string, what: string): ConnectorOperation {
  return defineOperation({
    key: `send_${kind}`,
    name: `Send a ${kind}`,
    description: `${what} A file reference of an earlier step is uploaded; Telegram fetches an address by itself; a file_id of Telegram's sends a file again that it has. Never repeated by itself after a crash.`,
    required: ["chat_id", kind],
    properties: {
      chat_id: chatId,
      [kind]: {
        type: ["object", "string"],
        minLength: 1,
        description: "A file reference {file_id, …}, an https address, or a file_id of Telegram's",
      },
      ...captions,
      ...sendOptions,
    },
    run: async (call) => outcomeOf(await send(call, kind, method), sentMessage),
  });
}

async function send(call: OperationCall, kind: string, method: string): Promise<ServiceAnswer> {
  const parameters = sendParameters(call.input);
  const id = fileIdOf(call.input[kind]);
  if (id === null) return callMethod(call, method, parameters);
  const form = new FormData();
  for (const [name, value] of Object.entries(parameters)) if (name !== kind) form.append(name, formText(value));
  await appendFile(form, kind, id, call.files);
  return callMethod(call, method, form);
}

/** In a form lists and objects are JSON. */
function formText(value: Json | undefined): string {
  return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : toText(value ?? null);
}
