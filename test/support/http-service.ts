import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
export type Answerer = (request: Received, response: ServerResponse, socket: IncomingMessage["socket"]) => void;

/** A service on a port of this machine that answers as the test says; counts what reaches it. Ends with the test. */
export class HttpService {
  readonly requests: Received[] = [];
  /** Sockets that were opened, whether or not anything was asked over them. */
  connections = 0;
  /** Sockets that are open now. */
  open = 0;
  port = 0;
  answer: Answerer;
  readonly #server = createServer();

  private constructor(answer: Answerer) {
    this.answer = answer;
  }

  static async start(answer: Answerer = json(200, { ok: true }), host = "127.0.0.1", port = 0): Promise<HttpService> {
    const service = new HttpService(answer);
    const server = service.#server;
    server.on("connection", (socket) => {
      service.connections += 1;
      service.open += 1;
      socket.on("close", () => (service.open -= 1));
    });
    server.on("request", (request, response) => void service.#serve(request, response));
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(port, host, resolve);
    await promise;
    service.port = (server.address() as AddressInfo).port;
    onTestFinished(() => service.stop());
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** As `egress.allow` lists it. */
  get place(): string {
    return `127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const received = { method, url, headers, body: Buffer.concat(chunks).toString() };
    this.requests.push(received);
    this.answer(received, response, request.socket);
  }
}

/** Answers every request alike. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answerer {
  return (_, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Settles when a condition holds that something outside the test's clock brings about. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  for (const end = performance.now() + ms; !(await holds());) {
    if (performance.now() > end) throw new Error(`It did not happen within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
