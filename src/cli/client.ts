import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answerError, connectionError } from "./answer-error.ts";
import { CliError } from "./cli-error.ts";
import { openResponse, readAnswer, type Answer, type Request, type Target } from "./exchange.ts";

/** The daemon bounds a request at 30 s (contract 17); stopping takes as long as its drain. */
const requestTimeoutMs = 60_000;

/** How long refusals (429, 503) are waited out before they count. */
const defaultPatienceMs = 10_000;

export type Query = Readonly<Record<string, string | number | undefined>>;

export type ClientOptions = {
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Ends everything that is open. */
  signal: AbortSignal;
  /** Called with a line for each request. */
  trace?: (line: string) => void;
  /** Called with the version of the daemon, with each answer that tells it. */
  onVersion?: (version: string) => void;
};

/** Speaks to one daemon. Answers are trusted to have the shape that contract/ gives them; errors become CliErrors. */
export class Client {
  readonly #target: Target;
  readonly #options: ClientOptions;
  /** Milliseconds for which a refused request is repeated. */
  patienceMs = defaultPatienceMs;

  constructor(target: Target, options: ClientOptions) {
    this.#target = target;
    this.#options = options;
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return JSON.parse(await this.#send({ method: "GET", path: withQuery(path, query) }));
  }

  async post<T>(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<T> {
    return JSON.parse(await this.#send({ method: "POST", path, body, headers }));
  }

  /** Opens an event stream after event `after`; rejects like `get`. */
  async openStream(path: string, after: number, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = { accept: "text/event-stream", "last-event-id": String(after) };
    return this.#reach(async () => {
      const response = await this.#open({ method: "GET", path, headers }, signal);
      if (response.statusCode === 200) return response;
      throw answerError(this.#target, await readAnswer(response));
    });
  }

  /** Gives the body of the 2xx answer; waits a refusal out while patience lasts. */
  async #send(request: Omit<Request, "signal">): Promise<string> {
    const deadline = performance.now() + this.patienceMs;
    for (;;) {
      const answer = await this.#exchange(request);
      if (answer.status >= 200 && answer.status < 300) return answer.content;
      const error = answerError(this.#target, answer);
      const waitMs = (error.extra.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1000;
      if (error.exit !== "busy" || performance.now() + waitMs > deadline) throw error;
      await sleep(waitMs, undefined, { signal: this.#options.signal });
    }
  }

  async #exchange(request: Omit<Request, "signal">): Promise<Answer> {
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    return this.#reach(async () => readAnswer(await this.#open(request, timeout)));
  }

  async #open(request: Omit<Request, "signal">, signal: AbortSignal): Promise<IncomingMessage> {
    const startedAt = performance.now();
    const response = await openResponse(this.#target, {
      ...request,
      headers: { ...this.#options.headers, ...request.headers },
      signal: AbortSignal.any([signal, this.#options.signal]),
    });
    const version = response.headers["x-stepgate-version"];
    if (typeof version === "string") this.#options.onVersion?.(version);
    const ms = Math.round(performance.now() - startedAt);
    this.#options.trace?.(`${request.method} ${request.path}: ${response.statusCode ?? 0} in ${ms} ms`);
    return response;
  }

  /** Makes errors of the connection tell what could not be reached. */
  async #reach<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (error instanceof CliError || this.#options.signal.aborted) throw error;
      throw connectionError(this.#target, error);
    }
  }
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
