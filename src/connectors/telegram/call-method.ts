import type { Json } from "../../contract/json.ts";
import { CallError } from "../../engine/calls/call-error.ts";
import { failureOfStatus } from "../../engine/calls/status-failure.ts";
import type { OpenConnection } from "../../engine/connector.ts";
import type { StepError } from "../../engine/node.ts";
import { isRecord, parseJson, toJson } from "../../engine/values/json.ts";
import { type ServiceAnswer, type ServiceCall, baseUrlOf } from "../service-call.ts";

export const ownBaseUrl = "https://api.telegram.org";
/** Telegram asks for pauses of hours at times; longer ones than a day are cut, as everywhere. */
const longestPauseSeconds = 86_400;

/**
 * Calls one method of the Bot API. Parameters that are undefined are left out; a form carries files. The bot's token is a
 * part of the address, so that no address ever goes into an error. Throws the CallErrors of the guarded fetch.
 */
export async function callMethod(
  call: ServiceCall,
  method: string,
  parameters: { readonly [key: string]: Json | undefined } | FormData = {},
): Promise<ServiceAnswer> {
  const address = `${botAddress(call.connection, "bot")}/${method}`;
  const isForm = parameters instanceof FormData;
  const response = await call.fetch(address, {
    method: "POST",
    body: isForm ? parameters : JSON.stringify(parameters),
    ...(!isForm && { headers: { "content-type": "application/json" } }),
    signal: call.signal,
  });
  const body = parseJson(await response.text());
  if (isRecord(body) && body["ok"] === true) return { result: toJson(body["result"]) };
  return { error: failureOf(response, isRecord(body) ? body : {}, method, call.now()) };
}

/** The address of a bot's methods, or of its files. It holds the token: it is for requests alone. */
export function botAddress(connection: OpenConnection | null, below: "bot" | "file/bot"): string {
  const token = connection?.secrets["token"] ?? "";
  if (!/^\d+:[\w-]+$/.test(token)) {
    const message = "The bot's token is none: it looks like 123456:ABC-DEF and comes from @BotFather";
    throw new CallError({ code: "AUTH_EXPIRED", message, retryable: false });
  }
  return `${baseUrlOf({ connection }, ownBaseUrl)}/${below}${token}`;
}

/** `error_code` says what happened, as a status would; the pause that a 429 asks for is in the body (contract 13). */
function failureOf(response: Response, body: Record<string, unknown>, method: string, now: Date): StepError {
  const { error_code: code, description } = body;
  const status = typeof code === "number" ? code : response.status;
  const detail = typeof description === "string" ? description : undefined;
  const failure = failureOfStatus({ status, headers: response.headers }, { now, what: "Telegram", detail });
  if (!failure) return { code: "UNKNOWN", message: `Telegram answered ${method} with something that is no answer` };
  if (isRecord(body["parameters"])) addParameters(failure, body["parameters"]);
  // One chat that is closed to the bot says nothing against its token.
  const isChat = status === 403 && /^Forbidden: (?:bot|user) /.test(detail ?? "");
  if (isChat) failure.code = "VALIDATION_ERROR";
  const words = explain(status, detail ?? "");
  return words === null ? failure : { ...failure, message: words };
}

/** What Telegram says beside the words: how long to wait, and where a chat has gone. */
function addParameters(failure: StepError, parameters: Record<string, unknown>): void {
  const { retry_after: pause, migrate_to_chat_id: moved } = parameters;
  if (typeof pause === "number" && pause >= 0) failure.retryAfterMs = Math.min(pause, longestPauseSeconds) * 1000;
  if (typeof moved === "number") failure.details = { ...failure.details, migrate_to_chat_id: moved };
}

/** What to do about refusals that the description alone does not tell. */
function explain(status: number, description: string): string | null {
  if (status === 401) return "Telegram refused the bot's token (401). Replace it with the one that @BotFather shows";
  if (status === 403) return `Telegram does not let the bot do this (403): ${description}`;
  if (status === 409 && /webhook/i.test(description)) {
    return "Telegram delivers this bot's updates to a webhook, so that they can't be polled (409). Run delete_webhook, or set mode: webhook on the trigger";
  }
  if (status === 409) {
    return "Another program reads this bot's updates, and Telegram lets only one do so (409). Stop it, or use another bot";
  }
  return null;
}
