import type { IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import type { DaemonStatus } from "../../contract/control.ts";
import type { Json } from "../../contract/json.ts";
import { connectionError } from "../answer-error.ts";
import { CliError, systemCode } from "../cli-error.ts";
import { readStatus } from "../commands/status.ts";
import type { Context } from "../context.ts";
import { mayStartDaemon } from "../daemon/offer-start.ts";
import { type Answer, type Target, openResponse, readAnswer } from "../exchange.ts";
import { findKey } from "../target.ts";
import type { Post } from "./bridge.ts";
import { headersOf } from "./headers.ts";
import { mcpKeyFile } from "./provide-key.ts";

/** Clients wait longer for a server's first answer than a person does for a prompt. */
const agentPatienceMs = 30_000;

/** A stream without a word (the daemon sends comments) is taken for dead. */
const silenceMs = 45_000;

/**
 * Posts messages to the daemon's MCP endpoint. The daemon and the key are looked up when they are needed, and again when
 * the one has gone or the other is not taken any more, so that a client may start before the daemon, outlive it, and go on
 * with a key that was made anew. Rejects with a CliError that says what is missing.
 */
export function openLine(context: Context): Post {
  let known: Target | null = null;

  return async (message, signal, onMessage, text) => {
    const say = async (target: Target): Promise<Sent> => send(target, { message, text, signal, onMessage });
    const isRemembered = known !== null;
    const target = (known ??= await findTarget(context));
    const first = await say(target);
    if (!isRemembered || !isUnheard(first)) return settle(first, target);
    known = null;
    known = await findTarget(context).catch((error: unknown) => {
      if ("error" in first) throw error;
      return target;
    });
    // The same place would say the same of the same key again.
    const isFinal = "answer" in first && isSame(known, target);
    return settle(isFinal ? first : await say(known), known);
  };

  function settle(sent: Sent, target: Target): Answer | null {
    if (!("error" in sent)) return sent.answer;
    known = null;
    throw systemCode(sent.error) === "ECONNRESET" ? brokenOff() : connectionError(target, sent.error);
  }
}

/** What came of a message. A stream is no answer: its messages have been handed on. */
type Sent = { answer: Answer | null } | { error: unknown };

type Sending = { message: Json; text: string | undefined; signal: AbortSignal; onMessage: (line: string) => void };

async function send(target: Target, { message, text, signal, onMessage }: Sending): Promise<Sent> {
  try {
    const headers = headersOf(message);
    const request = { method: "POST", path: "/mcp", body: message, headers, signal } as const;
    const response = await openResponse(target, { ...request, ...(text !== undefined && { json: text }) });
    if (!response.headers["content-type"]?.startsWith("text/event-stream")) {
      return { answer: await readAnswer(response) };
    }
    await readStream(response, onMessage);
    return { answer: null };
  } catch (error) {
    return { error };
  }
}

/** Whether nothing was done for sure: nobody listened, or who did knew no such key and so told nothing of its rate. */
function isUnheard(sent: Sent): boolean {
  if ("error" in sent) return systemCode(sent.error) === "ECONNREFUSED";
  return sent.answer !== null && sent.answer.headers["x-ratelimit-limit"] === undefined;
}

function isSame(one: Target, other: Target): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The message was on its way: an agent that takes it for unsaid would start a second run. */
function brokenOff(): CliError {
  return new CliError("unreachable", "The connection to the daemon broke before it had answered", {
    hint: "what was asked may have been done: look (list_runs, list_workflows) before asking again",
  });
}

/** Gives the messages of an event stream as they come; rejects when the connection is lost. */
async function readStream(response: IncomingMessage, onMessage: (line: string) => void): Promise<void> {
  const parser = createParser({ onEvent: ({ data }) => onMessage(data) });
  response.setTimeout(silenceMs, () => response.destroy(new Error("the daemon fell silent")));
  response.setEncoding("utf8");
  for await (const chunk of response) parser.feed(String(chunk));
}

async function findTarget(context: Context): Promise<Target> {
  const other = await context.remote();
  if (other) return other;
  const { flags, terminal, wiring, control } = context;
  const { env } = terminal;
  const status = (await readStatus(await control())) ?? (await startForAgent(context));
  return { url: new URL(status.url), key: findKey(flags, env, mcpKeyFile(await wiring.resolveHome(env))) };
}

let starting: Promise<DaemonStatus> | null = null;

/** A client of agents starts this program unasked, so the daemon comes up with it (cli.md, auto-start); once for all messages. */
async function startForAgent(context: Context): Promise<DaemonStatus> {
  if (!mayStartDaemon(context)) {
    throw new CliError("unreachable", "The daemon is not running", { hint: "start it with: stepgate start" });
  }
  const { launchDaemon } = await import("../daemon/launch.ts");
  starting ??= launchDaemon(context, { waitMs: agentPatienceMs })
    .then(({ status }) => status)
    .finally(() => (starting = null));
  return starting;
}
