import { type StepOutcome, fail } from "../../engine/node.ts";
import { defineOperation } from "../define-operation.ts";
import { outcomeOf } from "../service-call.ts";
import { callMethod } from "./call-method.ts";
import { chatId, defineMethod } from "./define-method.ts";
import { allowedUpdates } from "./updates.ts";

const userId = { type: "integer", description: "Id of the user, such as {{trigger.output.user_id}}" };
const dropPendingUpdates = { type: "boolean", description: "Forgets what has not been delivered yet" };

export const approveChatJoinRequest = defineMethod({
  key: "approve_chat_join_request",
  name: "Let a user in",
  description: "Accepts a user who asked to join a chat. The bot has to be an administrator who may invite users.",
  method: "approveChatJoinRequest",
  required: ["chat_id", "user_id"],
  properties: { chat_id: chatId, user_id: userId },
  output: () => ({ approved: true }),
});

export const declineChatJoinRequest = defineMethod({
  key: "decline_chat_join_request",
  name: "Turn a user away",
  description: "Declines a user who asked to join a chat. The user may ask again.",
  method: "declineChatJoinRequest",
  required: ["chat_id", "user_id"],
  properties: { chat_id: chatId, user_id: userId },
  output: () => ({ declined: true }),
});

export const getMe = defineMethod({
  key: "get_me",
  name: "Who is the bot",
  description: "Returns the bot's id and name. Changes nothing: use it to see whether the token works.",
  method: "getMe",
  properties: {},
  effects: "idempotent",
});

export const setWebhook = defineOperation({
  key: "set_webhook",
  name: "Have updates delivered",
  description:
    "Has Telegram deliver the bot's updates to the address of a trigger with `mode: webhook`, signed with the " +
    "connection's webhook_secret. A bot has one address: the last call counts, and nothing can be polled any more.",
  required: ["url"],
  properties: {
    url: { type: "string", pattern: "^https://", description: "Public https address, as `triggers show` prints it" },
    drop_pending_updates: dropPendingUpdates,
  },
  effects: "idempotent",
  async run(call): Promise<StepOutcome> {
    const secret = call.connection?.secrets["webhook_secret"] ?? "";
    if (!/^[\w-]{1,256}$/.test(secret)) {
      const message =
        "The connection needs a webhook_secret of 1 to 256 letters, digits, _ or -: without it nobody could tell Telegram's updates from others";
      return fail("VALIDATION_ERROR", message);
    }
    const parameters = { ...call.input, secret_token: secret, allowed_updates: [...allowedUpdates] };
    return outcomeOf(await callMethod(call, "setWebhook", parameters), () => ({ set: true }));
  },
});

export const deleteWebhook = defineMethod({
  key: "delete_webhook",
  name: "Stop delivering updates",
  description: "Takes the bot's webhook away, so that its updates can be polled again.",
  method: "deleteWebhook",
  properties: { drop_pending_updates: dropPendingUpdates },
  output: () => ({ deleted: true }),
  effects: "idempotent",
});
