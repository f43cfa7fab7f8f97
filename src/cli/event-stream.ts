import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { JournalEvent } from "../contract/journal.ts";
import type { Run, RunStatus } from "../contract/run.ts";
import { CliError } from "./cli-error.ts";
import type { Client } from "./client.ts";
import { exitOfEndedRun } from "./exit-codes.ts";

/** A stream without a word (the daemon sends comments) is taken for dead. */
const silenceMs = 45_000;

/** How long a daemon that went away may take to come back. */
const absenceMs = 30_000;

export type RunChange = { kind: "event"; event: JournalEvent } | { kind: "status"; status: RunStatus };

export function isEnded(status: RunStatus): boolean {
  return exitOfEndedRun[status] !== undefined;
}

/**
 * A run's journal after event `after` and its changes of status, live, until it has ended. A broken connection is
 * taken up again where it broke: no event comes twice, none is lost. Returns early when `signal` aborts.
 */
export async function* followRun(
  client: Client,
  runId: string,
  { after = 0, signal }: { after?: number; signal: AbortSignal },
): AsyncGenerator<RunChange> {
  const path = `/api/v1/runtime/runs/${encodeURIComponent(runId)}`;
  let seq = after;
  let contactAt: number | null = null;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const response = await client.openStream(`${path}/events`, seq, signal);
      for await (const change of readChanges(response)) {
        [failures, contactAt] = [0, performance.now()];
        if (change.kind === "event") seq = change.event.seq;
        yield change;
        if (change.kind === "status" && isEnded(change.status)) return;
      }
      // Closed in good order, as a daemon does that stops: ask before connecting again.
      const { status } = await client.get<Run>(path);
      contactAt = performance.now();
      if (isEnded(status)) return yield { kind: "status", status };
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error) || contactAt === null || performance.now() - contactAt > absenceMs) throw error;
    }
    await sleep(reconnectMs(failures), undefined, { signal }).catch(() => undefined);
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof CliError && (error.exit === "unreachable" || error.exit === "busy");
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
    throw new CliError("unreachable", `The connection to the daemon was lost: ${(error as Error).message}.`);
  }
}

function readChange({ event, data }: EventSourceMessage): RunChange {
  if (event === "run") return { kind: "status", status: (JSON.parse(data) as Pick<Run, "status">).status };
  return { kind: "event", event: JSON.parse(data) as JournalEvent };
}
