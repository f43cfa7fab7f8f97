import type { JournalEvent } from "../../../contract/journal.ts";
import type { Client } from "../../client.ts";
import { followRun, isEnded } from "../../event-stream.ts";
import type { Message } from "../model/model.ts";
import type { Waiting } from "./backoff.ts";
import type { Ticker } from "./session.ts";

/** Events within this time reach the screen together. */
const batchMs = 50;
const againMs = 1000;

type Parts = {
  client: Client;
  tell: (message: Message) => void;
  ticker: Ticker;
  waiting: Waiting;
  signal: AbortSignal;
};

/** Tells a run's journal and its changes of status until it has ended, however often the connection breaks meanwhile. */
export async function followOpenRun(runId: string, { client, tell, ticker, waiting, signal }: Parts): Promise<void> {
  let seq = 0;
  let batch: JournalEvent[] = [];
  let stop: (() => void) | null = null;
  const flush = () => {
    stop = null;
    if (batch.length > 0 && !signal.aborted) tell({ type: "events", runId, events: batch });
    batch = [];
  };
  while (!signal.aborted) {
    let hasEnded = false;
    try {
      for await (const change of followRun(client, runId, { after: seq, signal })) {
        if (change.kind === "event") {
          seq = change.event.seq;
          batch.push(change.event);
          stop ??= ticker.after(batchMs, flush);
        } else {
          flush();
          tell({ type: "status", runId, status: change.status });
          hasEnded = isEnded(change.status);
        }
      }
    } catch {
      // The list of runs tells that the daemon is lost; this goes on when it is back.
      hasEnded = false;
    }
    if (hasEnded) return flush();
    await waiting.wait(againMs, signal);
  }
}
