import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "./cli-error.ts";
import { exchange, openResponse, readAnswer, type Answer, type Target } from "./exchange.ts";
import { exitOfAnswer } from "./exit-codes.ts";

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
  /** Called with each request and answer under --verbose. */
  trace?: (line: string) => void;
};

/** Speaks to one daemon. Answers are trusted to have the shape that contract/ gives them; errors become CliErrors. */
export class Client {
  readonly #target: Target;
  readonly #options: ClientOptions;
  /** Milliseconds for which a refused request may be repeated. */
  patienceMs = defaultPatienceMs;

  constructor(target: Target, options: ClientOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** How messages name the daemon. */
  get name(): string {
    return "url" in this.#target ? this.#target.url.origin : "the daemon";
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.#send("GET", withQuery(path, query))) as T;
  }

  async post<T>(path: string, body: unknown = {}): Promise<T> {
    return (await this.#send("POST", path, body)) as T;
  }

  /** Opens an event stream after event `after`; rejects like `get`. */
  async openStream(path: string, after: number, signal: AbortSignal) {
    const headers = { ...this.#options.headers, accept: "text/event-stream", "last-event-id": String(after) };
    const ended = AbortSignal.any([signal, this.#options.signal]);
    const response = await this.#reach(async () =>
      openResponse(this.#target, { method: "GET", path, headers, signal: ended }),
    );
    this.#options.trace?.(`GET ${path} → ${response.statusCode} stream`);
    if (response.statusCode !== 200) throw answerError(await readAnswer(response));
    return response;
  }

  async #send(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
    const deadline = performance.now() + this.patienceMs;
    for (;;) {
      const answer = await this.#exchange(method, path, body);
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      const error = answerError(answer);
      const waitMs = (error.extra.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1000;
      if (error.exit !== "busy" || performance.now() + waitMs > deadline) throw error;
      this.#options.trace?.(`refused (${answer.status}), again in ${waitMs} ms`);
      await sleep(waitMs, undefined, { signal: this.#options.signal });
    }
  }

  async #exchange(method: "GET" | "POST", path: string, body: unknown): Promise<Answer> {
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(requestTimeoutMs)]);
    const headers = this.#options.headers ?? {};
    const startedAt = performance.now();
    const answer = await this.#reach(async () => exchange(this.#target, { method, path, body, headers, signal }));
    this.#options.trace?.(`${method} ${path} → ${answer.status} in ${Math.round(performance.now() - startedAt)} ms`);
    return answer;
  }

  async #reach<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw this.#options.signal.aborted ? error : this.#connectionError(error as NodeJS.ErrnoException);
    }
  }

  #connectionError(error: NodeJS.ErrnoException): CliError {
    if ("url" in this.#target) {
      return new CliError("unreachable", `${this.name} can't be reached: ${reason(error)}.`);
    }
    if (error.code === "EACCES" || error.code === "EPERM") {
      return new CliError("denied", "The daemon's control socket belongs to another user.");
    }
    if (error.code === "ENOENT" || error.code === "ECONNREFUSED") {
      return new CliError("unreachable", "The daemon is not running.", { hint: "start it with: stepgate serve" });
    }
    return new CliError("unreachable", `The daemon can't be reached: ${reason(error)}.`);
  }
}

function reason(error: NodeJS.ErrnoException): string {
  if (error.name === "TimeoutError") return `no answer within ${requestTimeoutMs / 1000} s`;
  return error.code ?? error.message;
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** The error of an answer that isn't 2xx (spec 7). What isn't Stepgate's is told by its status. */
function answerError({ status, headers, body }: Answer): CliError {
  const { error, code, details } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const message = typeof error === "string" ? error : `The answer was HTTP ${status} and not Stepgate's.`;
  const retryAfter = Number(headers["retry-after"] ?? Number.NaN);
  return new CliError(exitOfAnswer(status, String(code)), message, {
    httpStatus: status,
    ...(typeof code === "string" ? { code } : {}),
    ...(Array.isArray(details) ? { details } : {}),
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  });
}
