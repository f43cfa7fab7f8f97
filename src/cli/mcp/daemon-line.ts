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
 * Posts messages to the daemon's MCP endpoint. The daemon is looked up when it is needed and again when it has gone, so
 * that a client may start before it and outlive it. Rejects with a CliError that says what is missing.
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
      if (!response.headers["content-type"]?.startsWith("text/event-stream")) return await readAnswer(response);
      await readStream(response, onMessage);
      return null;
    } catch (error) {
      known = null;
      // Nobody listened, so nothing was done: the daemon may have come back elsewhere.
      if (isRemembered && !isRepeat && systemCode(error) === "ECONNREFUSED") {
        return post(message, signal, onMessage, true);
      }
      throw connectionError(target, error);
    }
  }

  return async (message, signal, onMessage) => post(message, signal, onMessage);
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
