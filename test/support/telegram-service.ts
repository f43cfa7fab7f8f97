import type { ServerResponse } from "node:http";
import { HttpService, type Received } from "./http-service.ts";

type Data = Record<string, unknown>;

export const botToken = "7717171717:AAH-stand_in-token-of-the-tests";

/** The Bot API as it is on the wire: one queue of updates a bot, which an offset cuts, and refusals in its own form. */
export class TelegramService {
  readonly http: HttpService;
  /** Updates that nobody has confirmed. */
  queue: Data[] = [];
  webhook = "";
  /** Methods that are refused, with the answer's body. */
  readonly refused = new Map<string, Data>();
  readonly calls: { method: string; parameters: Data; received: Received }[] = [];

  private constructor(http: HttpService) {
    this.http = http;
    http.answer = (request, response) => this.#answer(request, response);
  }

  static async start(): Promise<TelegramService> {
    return new TelegramService(await HttpService.start());
  }

  /** The calls of one method. */
  of(method: string): Data[] {
    return this.calls.filter((call) => call.method === method).map(({ parameters }) => parameters);
  }

  #answer(received: Received, response: ServerResponse): void {
    if (received.url === `/file/bot${botToken}/documents/file_1.pdf`) {
      return void response.writeHead(200, { "content-type": "application/octet-stream" }).end("the file's bytes");
    }
    const [, token, method = ""] = /^\/bot([^/]*)\/(\w+)$/.exec(received.url) ?? [];
    const isJson = received.headers["content-type"]?.startsWith("application/json") ?? false;
    const parameters = (isJson ? JSON.parse(received.body) : {}) as Data;
    this.calls.push({ method, parameters, received });
    const body = token === botToken ? this.#call(method, parameters) : refusal(401, "Unauthorized");
    const status = body["ok"] === true ? 200 : Number(body["error_code"]);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  #call(method: string, parameters: Data): Data {
    const refused = this.refused.get(method);
    if (refused) return refused;
    if (method === "getUpdates") return this.#updates(parameters);
    if (method === "setWebhook") this.webhook = String(parameters["url"]);
    if (method === "deleteWebhook") this.webhook = "";
    if (method === "getFile") return { ok: true, result: { file_id: "BQ", file_path: "documents/file_1.pdf" } };
    if (method === "getMe") return { ok: true, result: { id: 1, is_bot: true, username: "tests_bot" } };
    if (!method.startsWith("send") && !method.startsWith("edit")) return { ok: true, result: true };
    const chat = { id: Number(parameters["chat_id"]), type: "private" };
    return { ok: true, result: { message_id: 99, date: 1_768_471_200, chat, text: parameters["text"] } };
  }

  #updates({ offset = 0, limit = 100 }: { offset?: number; limit?: number }): Data {
    const hint =
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
    if (this.webhook !== "") return refusal(409, hint);
    if (offset > 0) this.queue = this.queue.filter(({ update_id: id }) => Number(id) >= offset);
    return { ok: true, result: this.queue.slice(0, limit) };
  }
}

export function refusal(code: number, description: string, parameters?: Data): Data {
  return { ok: false, error_code: code, description, ...(parameters && { parameters }) };
}

const chat = { id: 42, type: "private", first_name: "Ada" };
const from = { id: 42, is_bot: false, first_name: "Ada" };
const date = 1_768_471_200;

/** One update of each kind, as the Bot API documents them. */
export function sampleUpdates(first: number): Data[] {
  const message = { message_id: 7, from, chat, date, text: "hello" };
  const bot = { user: { id: 1, is_bot: true }, status: "member" };
  return [
    { update_id: first, message },
    { update_id: first + 1, callback_query: { id: "q1", from, message, chat_instance: "1", data: "yes" } },
    {
      update_id: first + 2,
      chat_join_request: { chat: { id: -100, type: "channel" }, from, user_chat_id: 42, date, bio: "Hi" },
    },
    {
      update_id: first + 3,
      my_chat_member: { chat, from, date, old_chat_member: { ...bot, status: "left" }, new_chat_member: bot },
    },
  ];
}
