import { once } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { answerJson } from "./stand-in.ts";

export type ModelRequest = { path: string; headers: IncomingMessage["headers"]; body: Record<string, unknown> };
export type ModelAnswer = (response: ServerResponse, request: ModelRequest) => void;

/** The vector that the stand-in gives for every text. */
export const vector = [0.25, -0.5, 1];

/** What each provider answers to a question, in the form that its API reference shows. */
const answers = {
  "/v1/chat/completions": ({ body }: ModelRequest) => ({
    id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
    object: "chat.completion",
    created: 1741569952,
    model: `${String(body["model"])}-2025-04-14`,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "refund", refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
    service_tier: "default",
  }),
  "/v1/embeddings": ({ body }: ModelRequest) => ({
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: vector }],
    model: body["model"],
    usage: { prompt_tokens: 8, total_tokens: 8 },
  }),
  "/v1/messages": ({ body }: ModelRequest) => ({
    id: "msg_013Zva2CMHLNnXjNJJKqJ2EF",
    type: "message",
    role: "assistant",
    model: body["model"],
    content: [
      { type: "text", text: "Hel" },
      { type: "text", text: "lo" },
    ],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 25, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 15 },
  }),
  "/v1/models": () => ({
    object: "list",
    data: [
      { id: "gpt-4.1", object: "model", created: 1744316542, owned_by: "system" },
      { id: "gpt-4.1-mini", object: "model", created: 1744318173, owned_by: "system" },
    ],
    has_more: false,
  }),
  "/collections/handbook/points/search": () => ({
    result: [
      { id: 7, version: 3, score: 0.91, payload: { text: "Refunds take five days.", page: 12 } },
      { id: 2, version: 3, score: 0.64, payload: { text: "We ship on Mondays.", page: 3 } },
    ],
    status: "ok",
    time: 0.0007,
  }),
} satisfies Record<string, (request: ModelRequest) => unknown>;

/**
 * A stand-in for model providers and a vector store, on a port of its own. It answers as they do, or as a test says:
 * each entry of `next` answers one request, `overrides` all of a path.
 */
export class ModelServer {
  readonly requests: ModelRequest[] = [];
  readonly next: ModelAnswer[] = [];
  /** What answers every request of a path. */
  readonly overrides = new Map<string, ModelAnswer>();
  /** Requests whose connection ended before they were answered. */
  broken = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** As a connection's `baseUrl`. */
  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await message.toArray()).join("");
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    const request = { path: message.url ?? "", headers: message.headers, body };
    this.requests.push(request);
    response.once("close", () => {
      if (!response.writableEnded) this.broken += 1;
    });
    const answer = this.next.shift() ?? this.overrides.get(request.path);
    if (answer) return answer(response, request);
    if (!Object.hasOwn(answers, request.path)) return answerJson(response, 404, { error: { message: "no such path" } });
    answerJson(response, 200, answers[request.path as keyof typeof answers](request));
  }
}

/** A stand-in that ends with the test. */
export async function modelServer(): Promise<ModelServer> {
  const server = await new ModelServer().listen();
  onTestFinished(async () => server.end());
  return server;
}

/** Answers of one kind. */
export function answering(status: number, body: unknown, headers: Record<string, string> = {}): ModelAnswer {
  return (response) => answerJson(response, status, body, headers);
}

/** Sends the head and the beginning of a body, and closes the connection. */
export const breakOff: ModelAnswer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
  response.write('{"choices": [');
  setImmediate(() => response.destroy());
};

/** Sends the beginning of a body, and then nothing for good. */
export const hang: ModelAnswer = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"choices": [');
};
