import type { PushAnswer, PushRequest } from "../../engine/connector.ts";
import { parseJson } from "../../engine/values/json.ts";
import { isSameSecret } from "../same-secret.ts";
import { type EventKind, eventOf, readUpdate } from "./updates.ts";

const header = "x-telegram-bot-api-secret-token";

/** Decodes an update that Telegram sent: it carries the secret of the connection, which `set_webhook` gave it. */
export function decodePush(kind: EventKind): (request: PushRequest) => PushAnswer {
  return ({ headers, body, connection }) => {
    const secret = connection?.secrets["webhook_secret"] ?? "";
    if (secret === "") {
      const message = "The connection has no webhook_secret: updates that nobody can check are refused";
      return { kind: "refused", status: 401, message };
    }
    if (!isSameSecret(headers.get(header) ?? "", secret)) {
      return { kind: "refused", status: 401, message: "The secret token of the update is missing or wrong" };
    }
    const update = readUpdate(parseJson(new TextDecoder().decode(body)));
    if (!update) return { kind: "refused", status: 400, message: "The body is no update of the Bot API" };
    const event = eventOf(kind, update);
    return { kind: "events", events: event ? [event] : [], response: { status: 200 } };
  };
}
