import type { Json } from "../../contract/json.ts";
import { CliError, reasonOf } from "../cli-error.ts";
import type { Answer } from "../exchange.ts";
import { isObject, type JsonObject } from "../parse-input.ts";
import { readLines } from "./read-lines.ts";

/**
 * Posts a message, as it is written in `text` where that is given: written anew, a number beyond a double would become
 * null on the way, and the daemon could not refuse it. Null when it was answered with a stream, whose messages have been
 * given to `onMessage` by then.
 */
export type Post = (
  message: Json,
  signal: AbortSignal,
  onMessage: (line: string) => void,
  text?: string,
) => Promise<Answer | null>;

export type BridgeParts = {
  /** One JSON-RPC message a line. */
  input: AsyncIterable<Buffer | string>;
  /** Takes one message without its line feed. */
  write: (line: string) => void;
  /** Takes a line for the user; never a message. */
  log: (line: string) => void;
  post: Post;
};

type RequestId = string | number;

/**
 * Carries messages of MCP's stdio transport to a server over HTTP, many at once, and its answers back. Whatever goes
 * wrong is told to the client as the error of its request. Ends when the input has ended and all is answered; streams,
 * which have no end of their own, end with the input.
 */
export async function bridge({ input, write, log, post }: BridgeParts): Promise<void> {
  const pending = new Map<RequestId, AbortController>();
  const open = new Set<Promise<void>>();
  const streams = new Set<AbortController>();
  let isEnded = false;

  function fail(id: RequestId | null, code: number, message: string, data?: unknown): void {
    const error = { code, message, ...(data === undefined ? {} : { data }) };
    write(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }

  function tell(answer: Answer, id: RequestId | null): void {
    const reading = readAnswer(answer, id);
    if (reading.line !== null) write(reading.line);
    else if (id !== null) fail(id, serverError, reading.problem, reading.data);
    else if (reading.problem !== "") log(reading.problem);
  }

  async function carry(message: Json, id: RequestId | null, text: string): Promise<void> {
    const abort = new AbortController();
    if (id !== null) pending.set(id, abort);
    let isAnswered = false;
    const relay = (line: string): void => {
      streams.add(abort);
      if (isEnded) abort.abort();
      const told = abort.signal.aborted ? undefined : parse(line);
      if (told === undefined) return;
      isAnswered ||= isAnswerTo(told, id);
      write(JSON.stringify(told));
    };
    try {
      const answer = await post(message, abort.signal, relay, text);
      if (answer) tell(answer, id);
      else if (id !== null && !isAnswered) fail(id, serverError, "The daemon ended the stream");
    } catch (error) {
      // Its client no longer waits for an answer.
      if (abort.signal.aborted) return;
      const problem = explain(error);
      log(problem);
      if (id !== null) fail(id, serverError, problem);
    } finally {
      streams.delete(abort);
      if (id !== null && pending.get(id) === abort) pending.delete(id);
    }
  }

  for await (const line of readLines(input)) {
    if (line.trim() === "") continue;
    const message = parse(line);
    if (message === undefined) fail(null, parseError, "The line is not valid JSON");
    else if (isCancellation(message)) pending.get(cancelledId(message))?.abort();
    else {
      const carried = carry(message, idOf(message), line).finally(() => open.delete(carried));
      open.add(carried);
    }
  }
  isEnded = true;
  for (const stream of streams) stream.abort();
  await Promise.all(open);
}

const parseError = -32700;
const serverError = -32000;

type Reading = { line: string; problem: ""; data?: undefined } | { line: null; problem: string; data?: unknown };

/**
 * A JSON-RPC answer as one line; else what the HTTP answer says instead. Nothing at all is the answer to a notification.
 * An error without an id is one that was told before the message was read: over HTTP it needs none, here it would leave
 * its request waiting, so it gets the request's.
 */
function readAnswer({ status, content }: Answer, id: RequestId | null): Reading {
  const body = content === "" ? undefined : parse(content);
  if (isObject(body) && body["jsonrpc"] === "2.0") {
    if (id !== null && body["id"] === null) return { line: JSON.stringify({ ...body, id }), problem: "" };
    return { line: content.includes("\n") ? JSON.stringify(body) : content, problem: "" };
  }
  if (status === 202) return { line: null, problem: "" };
  const message = isObject(body) && typeof body["error"] === "string" ? body["error"] : null;
  return { line: null, problem: message ?? `The daemon answered HTTP ${status}, and not as Stepgate does`, data: body };
}

function explain(error: unknown): string {
  const hint = error instanceof CliError ? error.extra.hint : undefined;
  return hint === undefined ? reasonOf(error) : `${reasonOf(error)}; ${hint}`;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function idOf(message: Json): RequestId | null {
  const id = isObject(message) && typeof message["method"] === "string" ? message["id"] : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function isAnswerTo(message: Json, id: RequestId | null): boolean {
  return isObject(message) && !("method" in message) && message["id"] === id;
}

function isCancellation(message: Json): message is JsonObject {
  return isObject(message) && message["method"] === "notifications/cancelled";
}

function cancelledId({ params }: JsonObject): RequestId {
  const id = isObject(params) ? params["requestId"] : "";
  return typeof id === "number" || typeof id === "string" ? id : "";
}
