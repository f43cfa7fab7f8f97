import type { IncomingMessage } from "node:http";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { DaemonStatus } from "../../../contract/control.ts";
import type { WatchedRun, WatchedRunList } from "../../../contract/run-watch.ts";
import { CliError, reasonOf } from "../../cli-error.ts";
import type { Client } from "../../client.ts";
import type { Connection, Message } from "../model/model.ts";
import { retryMs, type Waiting } from "./backoff.ts";

/** A stream without a word (the daemon sends a comment every 15 s) is taken for dead. */
const silenceMs = 45_000;

const pageSize = 200;

export type WatchParts = {
  client: Client;
  tell: (message: Message) => void;
  now: () => number;
  random: () => number;
  waiting: Waiting;
  signal: AbortSignal;
};

/** How far the changes were followed; null before the first list. */
type Position = { instance: string; change: number } | null;

/**
 * Keeps the list of runs as the daemon has it, over the control channel: reads it once, then follows the changes. After
 * a break it goes on where it broke; where that is no longer possible (410) it reads everything again. Ends with `signal`.
 */
export async function watchRuns(parts: WatchParts): Promise<void> {
  const { tell, signal, waiting } = parts;
  let position: Position = null;
  for (let attempt = 1; !signal.aborted;) {
    const isConnected = () => void (attempt = 1);
    try {
      position = await followOnce(parts, position, isConnected);
      if (!signal.aborted) throw new CliError("unreachable", "The daemon ended the stream");
    } catch (error) {
      if (signal.aborted) return;
      if (isGone(error)) {
        position = null;
        continue;
      }
      // The position of a stream that broke is kept by the error's thrower.
      if (error instanceof BrokenStream) position = error.position;
      const ms = retryMs(attempt, parts.random());
      tell({ type: "connection", connection: describeLoss(error, attempt, ms, position, parts.now()) });
      attempt += 1;
      await waiting.wait(ms, signal);
    }
  }
}

/** A stream that broke, and how far it had come. */
class BrokenStream extends CliError {
  readonly position: Position;

  constructor(error: unknown, position: Position) {
    super("unreachable", reasonOf(error));
    this.position = position;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof CliError && error.extra.httpStatus === 410;
}

function describeLoss(error: unknown, attempt: number, ms: number, position: Position, now: number): Connection {
  const status = error instanceof CliError ? error.extra.httpStatus : undefined;
  if (status === 401 || status === 403) return { kind: "refused", code: status, message: reasonOf(error) };
  const change = position?.change ?? null;
  return { kind: "lost", since: now, reason: reasonOf(error), attempt, retryAt: now + ms, change };
}

async function followOnce(parts: WatchParts, known: Position, isConnected: () => void): Promise<Position> {
  const { client, tell } = parts;
  const { version, url } = await client.get<DaemonStatus>("/control/status");
  tell({ type: "daemon", version, address: `:${new URL(url).port}` });
  const position = known ?? (await readList(parts));
  const path = `/events?after=${position.change}&instance=${encodeURIComponent(position.instance)}`;
  const response = await client.openStream(path, position.change, parts.signal);
  isConnected();
  tell({ type: "connection", connection: { kind: "live" } });
  try {
    for await (const { runs, change } of readChanges(response)) {
      if (runs.length > 0) tell({ type: "changed", runs });
      if (change !== null) position.change = change;
    }
  } catch (error) {
    throw new BrokenStream(error, position);
  }
  throw new BrokenStream(new Error("The daemon ended the connection"), position);
}

async function readList({ client, tell }: WatchParts): Promise<NonNullable<Position>> {
  const list = await client.get<WatchedRunList>("/control/runs", { limit: pageSize });
  tell({ type: "runs", runs: list.runs, total: list.total, isMore: false });
  return { instance: list.instance_id, change: list.change };
}

/** Changed runs in the portions in which they arrive, with the number of the last change that is complete. */
async function* readChanges(response: IncomingMessage): AsyncGenerator<{ runs: WatchedRun[]; change: number | null }> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  response.setTimeout(silenceMs, () => response.destroy(new Error("The daemon fell silent")));
  response.setEncoding("utf8");
  for await (const chunk of response) {
    parser.feed(String(chunk));
    const arrived = messages.splice(0);
    const runs = arrived.filter(({ event }) => event === "run").map(({ data }): WatchedRun => JSON.parse(data));
    const id = arrived.findLast((message) => message.id !== undefined)?.id;
    yield { runs, change: id === undefined ? null : Number(id) };
  }
}
