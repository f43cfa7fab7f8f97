import { type RunStatus, isTerminal } from "../../contract/run.ts";
import { presentEvent } from "../../engine/presentation/present-run.ts";
import type { RunRecord, Store } from "../../store/store.ts";
import type { StreamEvent } from "../operation.ts";

/** Events read from the journal at once: what a slow reader makes the daemon keep in memory. */
const pageSize = 20;

type Moment = { status: RunStatus; seq: number };

/**
 * The journal events of a run after `after` and each change of its status, in the order in which they became durable,
 * up to its terminal status or until `signal` ends it. Reads the journal only as fast as the events are taken.
 */
export async function* followRun(
  store: Store,
  run: RunRecord,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, void> {
  const watch = watchRun(store, run.id, signal);
  try {
    let seen = after;
    let status: RunStatus | null = null;
    // Read after watching began, so that nothing falls between the two.
    let moment: Moment | null = await store.findRun(run.workspaceId, run.id);
    while (moment && !signal.aborted) {
      for await (const event of readEvents(store, run.id, seen, moment.seq)) {
        yield event;
        seen = event.id;
      }
      if (moment.status !== status)
        yield { event: "run", data: JSON.stringify({ run_id: run.id, status: moment.status }) };
      if (isTerminal(moment.status)) return;
      status = moment.status;
      moment = await watch.next();
    }
  } finally {
    watch.stop();
  }
}

async function* readEvents(
  store: Store,
  runId: string,
  after: number,
  upTo: number,
): AsyncGenerator<StreamEvent & { id: number }, void, void> {
  let seen = after;
  while (seen < upTo) {
    const events = await store.readJournal(runId, seen, Math.min(pageSize, upTo - seen));
    if (events.length === 0) return;
    for (const event of events) {
      yield { event: event.type, id: event.seq, data: JSON.stringify(presentEvent(runId, event)) };
      seen = event.seq;
    }
  }
}

/** The moments of a run that were not taken yet; those of one status in a row count as one. */
function watchRun(store: Store, runId: string, signal: AbortSignal): { next(): Promise<Moment | null>; stop(): void } {
  const moments: Moment[] = [];
  let wake: () => void = () => undefined;
  const end = (): void => wake();
  signal.addEventListener("abort", end);
  const unwatch = store.watchRuns(runId, ({ status, seq }) => {
    const last = moments.at(-1);
    if (last?.status === status) last.seq = seq;
    else moments.push({ status, seq });
    wake();
  });
  return {
    async next() {
      while (moments.length === 0 && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
      return moments.shift() ?? null;
    },
    stop() {
      unwatch();
      signal.removeEventListener("abort", end);
    },
  };
}
