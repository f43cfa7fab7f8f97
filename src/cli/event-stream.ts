import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { JournalEvent } from "../contract/journal.ts";
import type { Run, RunStatus } from "../contract/run.ts";
import { CliError, reasonOf } from "./cli-error.ts";
import type { Client } from "./client.ts";
import { exitOfEndedRun } from "./exit-codes.ts";
import { runPath } from "./find-run.ts";

/** A stream without a word (the daemon sends comments) is taken for dead. */
const silenceMs = 45_000;

/** How long a daemon that went away may take to come back. */
const absenceMs = 30_000;

export type RunChange = { kind: "event"; event: JournalEvent } | { kind: "status"; status: RunStatus };

export function isEnded(status: RunStatus): boolean {
  return exitOfEndedRun[status] !== undefined;
}

/** How far a run was followed. */
type Position = { seq: number; contactAt: number | null; failures: number };

/**
 * A run's journal after event `after` and its changes of status, live, until it has ended. A broken connection is
 * taken up again where it broke: no event comes twice, none is lost. Returns early when `signal` aborts.
 */
export async function* followRun(
  client: Client,
  runId: string,
  { after = 0, signal = new AbortController().signal }: { after?: number; signal?: AbortSignal } = {},
): AsyncGenerator<RunChange> {
  const position: Position = { seq: after, contactAt: null, failures: 0 };
  while (!signal.aborted) {
    try {
      const isOver = yield* followOnce(client, runPath(runId), position, signal);
      if (isOver) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!mayPass(error, position)) throw error;
    }
    await sleep(reconnectMs(position.failures++), undefined, { signal }).catch(() => undefined);
  }
}

/** Follows a run over one connection and says whether the run has ended. */
async function* followOnce(
  client: Client,
  path: string,
  position: Position,
  signal: AbortSignal,
): AsyncGenerator<RunChange, boolean> {
  const response = await client.openStream(`${path}/events`, position.seq, signal);
  for await (const change of readChanges(response)) {
    Object.assign(position, { contactAt: performance.now(), failures: 0 });
    if (change.kind === "event") position.seq = change.event.seq;
    yield change;
    if (change.kind === "status" && isEnded(change.status)) return true;
  }
  // Closed in good order, as a daemon does that stops: ask before connecting again.
  const { status } = await client.get<Run>(path);
  position.contactAt = performance.now();
  yield { kind: "status", status };
  return isEnded(status);
}

/** A daemon that was there may come back; one that never was is not waited for. */
function mayPass(error: unknown, { contactAt }: Position): boolean {
  const isPassing = error instanceof CliError && (error.exit === "unreachable" || error.exit === "busy");
  return isPassing && contactAt !== null && performance.now() - contactAt < absenceMs;
}

/** Half to all of 0.5, 1, 2, … at most 8 s. */
function reconnectMs(failures: number): number {
  return Math.min(8_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
}

/** The changes of one connection. Its loss is a CliError "unreachable". */
async function* readChanges(response: IncomingMessage): AsyncGenerator<RunChange> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  response.setTimeout(silenceMs, () => response.destroy(new Error("silence")));
  response.setEncoding("utf8");
  try {
    for await (const chunk of response) {
      parser.feed(String(chunk));
      yield* messages.splice(0).map(readChange);
    }
  } catch (error) {
    throw new CliError("unreachable", `The connection to the daemon was lost: ${reasonOf(error)}.`);
  }
}

function readChange({ event: name, data }: EventSourceMessage): RunChange {
  if (name !== "run") {
    const event: JournalEvent = JSON.parse(data);
    return { kind: "event", event };
  }
  const { status }: Pick<Run, "status"> = JSON.parse(data);
  return { kind: "status", status };
}
