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

  async function post(
    message: Json,
    signal: AbortSignal,
    onMessage: (line: string) => void,
    isRepeat = false,
  ): Promise<Answer | null> {
    const isRemembered = known !== null;
    const target = (known ??= await findTarget(context));
    try {
      const request = { method: "POST", path: "/mcp", body: message, headers: headersOf(message), signal } as const;
      const response = await openResponse(target, request);
      if (!response.headers["content-type"]?.startsWith("text/event-stream")) {
        const answer = await readAnswer(response);
        if (isRepeat || !isRemembered || isAdmitted(answer)) return answer;
        // What it says is what the client is told, unless there is another place or key to try.
        known = await findTarget(context).catch(() => target);
        return isSame(known, target) ? answer : await post(message, signal, onMessage, true);
      }
      await readStream(response, onMessage);
      return null;
    } catch (error) {
      known = null;
      // Nobody listened, so nothing was done: the daemon may have come back elsewhere.
      if (isRemembered && !isRepeat && systemCode(error) === "ECONNREFUSED") {
        return post(message, signal, onMessage, true);
      }
      throw systemCode(error) === "ECONNRESET" ? brokenOff() : connectionError(target, error);
    }
  }

  return async (message, signal, onMessage) => post(message, signal, onMessage);
}

/** Whether the daemon knew the key: only then does it tell of its rate. Of anybody else's message it does nothing. */
function isAdmitted({ headers }: Answer): boolean {
  return headers["x-ratelimit-limit"] !== undefined;
}

/** The message was on its way: an agent that takes it for unsaid would start a second run. */
function brokenOff(): CliError {
  return new CliError("unreachable", "The connection to the daemon broke before it had answered", {
    hint: "what was asked may have been done: look (list_runs, list_workflows) before asking again",
  });
}

function isSame(one: Target, other: Target): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Gives the messages of an event stream as they come; rejects when the connection is lost. */
async function readStream(response: IncomingMessage, onMessage: (line: string) => void): Promise<void> {
  const parser = createParser({ onEvent: ({ data }) => onMessage(data) });
  response.setTimeout(silenceMs, () => response.destroy(new Error("the daemon fell silent")));
  response.setEncoding("utf8");
  for await (const chunk of response) parser.feed(String(chunk));
}

async function findTarget(context: Context): Promise<Target> {
  const { flags, terminal, wiring, control, remote } = context;
  const { env } = terminal;
  const other = await remote();
  if (other) return other;
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
