import { setTimeout as sleep } from "node:timers/promises";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { EventPage, JournalEvent } from "../../contract/journal.ts";
import type { WatchedRun } from "../../contract/run-watch.ts";
import type { Client } from "../client.ts";
import { isEnded } from "../event-stream.ts";
import { runPath } from "../find-run.ts";

const pageSize = 1000;
const reconnectMs = 500;

/** What happened to a run: an event of its journal, or its new status. */
export type RunNews = { run: WatchedRun; event: JournalEvent | null };

/** Every run of the daemon as it goes: its events and its changes of status, in order, until `signal` aborts. */
export async function* followRuns(client: Client, signal: AbortSignal): AsyncGenerator<RunNews> {
  const seen = new Map<string, { seq: number; status: string }>();
  let after = 0;
  while (!signal.aborted) {
    try {
      for await (const message of readMessages(client, after, signal)) {
        if (message.event === "run") yield* newsOf(client, JSON.parse(message.data), seen);
        after = Number(message.id ?? after);
      }
    } catch (error) {
      if (signal.aborted) return;
      // Too far behind: the numbers that are known begin anew.
      if (after === 0) throw error;
      after = 0;
    }
    await sleep(reconnectMs, undefined, { signal }).catch(() => undefined);
  }
}

async function* newsOf(
  client: Client,
  run: WatchedRun,
  seen: Map<string, { seq: number; status: string }>,
): AsyncGenerator<RunNews> {
  const known = seen.get(run.run_id) ?? { seq: 0, status: "" };
  const isNew = run.status !== known.status;
  // A run is accepted before its first event, and waits or ends after its last.
  const isBefore = run.status === "accepted" || run.status === "running";
  if (isNew && isBefore) yield { run, event: null };
  for (let isMore = true; isMore;) {
    const page = await client.get<EventPage>(`${runPath(run.run_id)}/events`, { after: known.seq, limit: pageSize });
    for (const event of page.events) yield { run, event };
    known.seq = page.next_after;
    isMore = page.events.length === pageSize;
  }
  if (isNew && !isBefore) yield { run, event: null };
  if (isEnded(run.status)) seen.delete(run.run_id);
  else seen.set(run.run_id, { ...known, status: run.status });
}

async function* readMessages(client: Client, after: number, signal: AbortSignal): AsyncGenerator<EventSourceMessage> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const response = await client.openStream("/events", after, signal);
  response.setEncoding("utf8");
  for await (const chunk of response) {
    parser.feed(String(chunk));
    yield* messages.splice(0);
  }
}
